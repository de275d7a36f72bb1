/** Compares every document in every medium with files that people can read. */
import { expect, test } from 'vitest';
import { WebsitesError } from '../../src/model/errors.ts';
import { READABLE_NAMES } from '../../src/model/field-table.ts';
import type { Failure, Result } from '../../src/model/run.ts';
import { doctorDocument } from '../../src/report/doctor.ts';
import type { Document } from '../../src/report/document.ts';
import { errorDocument, warningsDocument } from '../../src/report/errors.ts';
import { exportOf } from '../../src/report/export/export.ts';
import { acceptedDocument, exportDocument } from '../../src/report/export/report.ts';
import { importDocument } from '../../src/report/import-report.ts';
import { htmlText } from '../../src/report/media/html.ts';
import { markdownText } from '../../src/report/media/markdown.ts';
import { terminalText } from '../../src/report/media/terminal.ts';
import { planDocument } from '../../src/report/plan.ts';
import { listDocument } from '../../src/report/records.ts';
import { explainedDocument } from '../../src/report/resolved.ts';
import { resultDocument } from '../../src/report/result.ts';
import { runDocument, runsDocument } from '../../src/report/runs.ts';
import { sha256 } from '../../src/util/node/sha256.ts';
import { domainOf, shown, times, wanted } from '../support/plans.ts';
import { currentOf } from './export/records.ts';
import { DONE, NOTHING, REVIEW, THREE } from './situations.ts';

const place = (line: number) => ({ file: 'websites.yaml', line, column: 5 });
const NOW = Date.parse('2026-11-20T12:59:00Z');

const problems = [
  {
    severity: 'error',
    message: 'privacy must be public, private or password',
    remedy: 'Did you mean "private"?',
    place: place(14),
    excerpt: { text: '    privacy: privat', length: 7 },
  },
  {
    severity: 'warning',
    code: 'password-in-file',
    message: 'password is stored in plain text',
    place: place(3),
  },
] as const;

const rejected = (index: number): Failure => ({
  ...{
    action: 'create',
    domain: domainOf(index),
    source: place(3 + index),
    outcome: 'failed',
    code: 'service-refused',
  },
  ...{
    status: 422,
    attempts: 1,
    message: `Cannot create ${domainOf(index)}: POST https://analytics.example.com/api/websites answered 422: Taken.`,
  },
  remedy: 'Fix the values that the service rejected, then run again.',
});

const effect = { domain: 'a.example.com', id: '3', field: 'email', before: true, after: false } as const;

const FAILED: Result = {
  ...DONE,
  summary: { ...DONE.summary, failed: 6, not_attempted: 2 },
  failures: [
    ...times(5, rejected),
    {
      ...{ action: 'create', domain: domainOf(9), source: place(12), outcome: 'unknown', attempts: 2 },
      ...{ code: 'service-unreachable', message: 'No response within 30 s.' },
    },
  ],
  not_attempted: times(2, (index) => ({ action: 'delete', domain: domainOf(index, 'gone.example.com') })),
  stopped: 'a create did not succeed',
  converged: false,
  residual: [
    { action: 'update', domain: 'b.example.com', field: 'email', wanted: true, shown: false, message: 'm' },
  ],
  side_effects: [effect],
  restored: [{ ...effect, field: 'exclude_bots' }],
  notes: times(176, (index) => `${domainOf(index)}: the service stored it as www.${domainOf(index)}.`),
};

const past = {
  run: '20261120T093000.000Z-4f2a11',
  at: '2026-11-20T09:30:00Z',
  made_by: { actor: 'ada', commit: '0123456789abcdef' },
  service: { base_url: 'local:7f0c2a2e-7d8f-4a53-8a55-1b1d5a3c0f11' },
  planned: { create: 2, update: 1, delete: 1 },
};

const closed = { converged: true, summary: { ...FAILED.summary, failed: 1 }, stopped: null, finished: false };

const source = {
  settings: { email: true, password: { env: 'SHOP' } },
  group: 'acme',
  protect: false,
} as const;
const website = { domain: 'shop.example.com', state: 'present', source: place(14), ...source } as const;

const exported = exportOf(
  currentOf([
    shown('bad domain', 1),
    shown(`${'a'.repeat(64)}.example`, 2),
    ...[3, 4].map((id) => shown('dup.example', id)),
    shown('odd.example', 5, { email: 7, exclude_ips: ['here'], privacy: 1 }, { passwordSet: true }),
    shown('shop.example', 6, { privacy: 2 }),
    shown('very-long.shop.example', 7, { privacy: 2 }),
  ]),
);

const DOCUMENTS: Readonly<Record<string, Document>> = {
  plan: planDocument(THREE, { unset: new Set(['env:SHOP']) }),
  'plan-nothing': planDocument(NOTHING),
  'plan-review': planDocument(REVIEW),
  drift: planDocument(THREE, {
    drift: {
      withOrphans: true,
      revert: 'websites apply',
      accept: 'websites export --into websites.yaml --update',
    },
  }),
  result: resultDocument(
    { ...DONE, summary: { ...DONE.summary, created: 1 } },
    { target: 'staging', applied: THREE.changes },
  ),
  'result-failed': resultDocument(FAILED, {}),
  runs: runsDocument(
    [
      past,
      { ...past, run: '20261120T100000.000Z-aaaaaa', closed },
      {
        ...past,
        run: '20261120T110000.000Z-bbbbbb',
        closed: { ...closed, finished: true },
        undoes: past.run,
      },
    ],
    'runs',
    NOW,
  ),
  run: runDocument(
    {
      past,
      changes: THREE.changes.map((change, index) => {
        return index === 0
          ? {
              change,
              outcome: 'failed',
              message: 'POST https://analytics.example.com/api/websites answered 422: Taken.',
            }
          : { change, outcome: 'done' };
      }),
      sideEffects: [effect],
    },
    [past, { ...past, run: '20261120T100000.000Z-aaaaaa', undoes: past.run }],
    NOW,
  ),
  list: listDocument({
    ...{ service: 'https://a.example', kind: 'list', requests: 1, complete: true },
    records: [
      {
        website: shown('shop.example.com', 7, { privacy: 1, email: true }),
        status: 'declared',
        declared: wanted('shop.example.com'),
      },
      { website: shown('old.example.com', 9, { exclude_ips: ['192.0.2.1'] }), status: 'orphan' },
    ],
  }),
  doctor: doctorDocument({
    base_url: 'https://www.analytics.example.com',
    redirects: [
      { status: 308, from: 'https://analytics.example.com', to: 'https://www.analytics.example.com' },
    ],
    list: {
      ...{ envelope: 'data', paging: 'total', records: 150, total: 150, pages: 3, page_size: 50 },
      ...{ page_size_capped: true, complete: true, reason: 'its total is 150, as many as it lists' },
      refused_parameters: ['sort'],
    },
    search_finds: true,
    fields: READABLE_NAMES.map((name) => ({ name, shown: name === 'email' ? 'read' : 'list' })),
    tells_password_set: false,
    favorite: 'favorite',
    www: { with: 4, without: 146, both: 1 },
    ...{ unreadable: [], duplicates: ['a.example'] },
    rate_limit: { headers: ['x-ratelimit-limit'], limit: 60, remaining: 57, reset_ms: 30_000 },
  }),
  import: importDocument({
    ...{ into: 'websites.yaml', written: true, refused: false, added: 12, next: 'websites plan' },
    readings: [
      {
        ...{ file: 'sites.csv', list: undefined, taken: [{ column: 'Site', key: 'domain' }], misnamed: [] },
        ...{ unknown: ['owner'] },
      },
    ],
    skipped: times(3, (index) => ({
      ...{ place: { ...place(3 + index), file: 'sites.csv' }, reason: 'duplicate', subject: 'a.example' },
      message: 'duplicate of line 2',
    })),
  }),
  export: exportDocument(exported, { out: 'websites.yaml' }),
  'export-update': acceptedDocument({
    accepted: [{ desired: wanted('a.example', {}, 3), field: 'email' }],
    refused: [{ desired: wanted('b.example', {}, 7), field: 'privacy', reason: 'is in a group' }],
    ...{ others: [], into: 'websites.yaml', check: false, complete: false },
  }),
  explained: explainedDocument([
    {
      website,
      provenance: [
        { field: 'email', level: 'group', group: 'acme', place: place(5) },
        { field: 'password', level: 'record', place: place(16) },
      ],
    },
  ]),
  error: errorDocument(
    new WebsitesError('config-invalid', '1 error in websites.yaml.', {
      remedy: 'Fix it, then run again.',
      problems,
    }),
  ),
  warnings: warningsDocument(problems.slice(1)),
};

test.each(Object.entries(DOCUMENTS))('the output of %s equals its golden files', async (name, document) => {
  const file = (ending: string): string => `golden/${name}.${ending}`;
  await expect(terminalText(document, { color: false, width: 100 })).toMatchFileSnapshot(file('txt'));
  await expect(markdownText(document)).toMatchFileSnapshot(file('md'));
  const [, body = ''] = htmlText(document, sha256).split('<body>\n');
  const [page = ''] = body.split(/<script|<\/body>/);
  await expect(page).toMatchFileSnapshot(file('html'));
});
