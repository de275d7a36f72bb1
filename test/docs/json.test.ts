/** The page of machine formats names every key of a document, and no other. */
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { ACTIONS, type Change, type Create, type Delete, type Update } from '../../src/model/change.ts';
import type { Findings } from '../../src/model/doctor-findings.ts';
import { WebsitesError } from '../../src/model/errors.ts';
import { FIELD_NAMES } from '../../src/model/field-table.ts';
import type { ImportReport } from '../../src/model/import-report.ts';
import type { Plan } from '../../src/model/plan.ts';
import type {
  Effect,
  Failure,
  PastRun,
  Residual,
  Result,
  RunEvent,
  RunRecord,
  Subject,
} from '../../src/model/run.ts';
import { doctorJson } from '../../src/report/doctor.ts';
import { eventStreamOpening, planEvents } from '../../src/report/events.ts';
import { documentJson, jsonDocument, jsonLine } from '../../src/report/json.ts';
import { LIST_FORMATS, type ListedRecords } from '../../src/report/records.ts';
import { type Explained, resolvedRecord } from '../../src/report/resolved.ts';
import { runsTexts, runTexts } from '../../src/report/runs.ts';
import { errorJson, errorLine, planJson } from '../report/render.ts';
import { HAS_JQ } from '../support/github/repository.ts';
import { blocksOf, read } from './pages.ts';

const PAGE = read('docs/json.md');

/** Requires optional keys: a new key fails here until the page has it. */
type Whole<T> = T extends readonly (infer Item)[]
  ? readonly Whole<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]-?: Whole<Exclude<T[Key], undefined>> }
    : T;

const source = { file: 'websites.yaml', line: 3, column: 5 };
const common = {
  domain: 'a.example',
  risk: { level: 'high', reason: 'privacy loosened' },
  notes: ['a note'],
  origin: 'both',
  group: 'acme',
  source,
} as const;
const before = { privacy: 1, exclude_ips: ['192.0.2.1'] };
const fields = {
  privacy: { before: 1, after: 2 },
  password: { sensitive: true, ref: { env: 'SITE' }, fingerprint: 'cafe' },
} as const;

const create: Omit<Whole<Create>, 'fields'> & Create = { action: 'create', ...common, fields };
const update: Omit<Whole<Update>, 'fields' | 'alongside' | 'before'> & Update = {
  action: 'update',
  ...common,
  id: '1',
  before,
  fields: { ...fields, password: { ...fields.password, set: true } },
  alongside: { ...fields, password: { ...fields.password, set: true } },
  password_set: true,
  kept: ['email'],
  unreadable: ['favorited_at'],
};
const remove: Omit<Whole<Delete>, 'before'> & Delete = {
  action: 'delete',
  ...common,
  id: '2',
  before,
  password_set: true,
  cause: 'prune',
};
const CHANGES: { readonly [Name in Change['action']]: Change } = { create, update, delete: remove };

const explained: Explained = {
  website: {
    domain: 'a.example',
    group: 'acme',
    state: 'present',
    protect: false,
    settings: { email: true },
    source,
  },
  provenance: [{ field: 'email', level: 'group', group: 'acme', place: source }],
};

const plan: Omit<Whole<Plan>, 'changes'> & Plan = {
  format: 'websites.plan/1',
  created_at: '2026-11-20T09:30:00Z',
  expires_at: '2026-11-21T09:30:00Z',
  read_at: '2026-11-20T09:30:00Z',
  made_by: { actor: 'ada', commit: 'cafe', url: 'https://ci.example/1' },
  service: { base_url: 'https://a.example', key_fingerprint: 'sha256:cafe', target: 'one' },
  config: {
    files: [{ path: 'sites.csv', digest: 'cafe', bulk: true }],
    digest: 'cafe',
    open: ['sites/'],
    folder: 'sites',
    made_in: '..',
  },
  complete: true,
  options: {
    prune: 'removed',
    www: 'same',
    update: 'auto',
    domain: ['a*'],
    exclude: ['b*'],
    group: ['acme'],
    resend_passwords: false,
    only: 'config',
    since: 'main',
    fail_on_drift: true,
    undoes: 'RUN',
    allow: { empty: false, deletes: 1, updates: 1 },
  },
  scope: ['*.example'],
  commits: { since: 'cafe', merge_base: 'cafe' },
  summary: { create: 1, update: 1, delete: 1, unchanged: 0, orphan: 1, ignored: 0 },
  changes: ACTIONS.map((action) => CHANGES[action]),
  orphans: [{ domain: 'b.example', id: '3', protected: true }],
  guards: [{ code: 'deletes', message: 'Too many.', remedy: 'Approve it.', approved: true }],
  warnings: [{ code: 'prune-skipped', message: 'a warning' }],
  read: { kind: 'lookup', requests: 2, domains: 1 },
  cost: { requests: 5, seconds: 0.5, list: 1 },
  digest: 'cafe',
  seal: 'cafe',
};

const subject: Whole<Subject> = { action: 'update', domain: 'a.example', id: '1', source };
const failure: Whole<Failure> = {
  ...subject,
  outcome: 'failed',
  code: 'service-refused',
  status: 422,
  message: 'No.',
  remedy: 'Mend it.',
  attempts: 1,
};
const residual: Whole<Residual> = {
  action: 'update',
  domain: 'a.example',
  field: 'privacy',
  wanted: 2,
  shown: 1,
  message: 'It was ignored.',
};
const effect: Whole<Effect> = { domain: 'a.example', id: '1', field: 'email', before: true, after: false };
const result: Whole<Result> = {
  format: 'websites.result/1',
  run: 'RUN',
  undoes: 'RUN',
  scope: '--target one',
  selection: '--no-prune',
  summary: { created: 0, updated: 0, deleted: 0, unchanged: 0, failed: 1, not_attempted: 1 },
  failures: [failure],
  not_attempted: [{ ...subject, stale: true }],
  stopped: 'why',
  interrupted: false,
  converged: false,
  residual: [residual],
  restored: [effect],
  side_effects: [effect],
  changed_meanwhile: [effect],
  unverified: [{ field: 'email', records: 2 }],
  notes: ['a note'],
  requests: 3,
  seconds: 0.1,
};

const EVENTS: { readonly [Type in RunEvent['type']]: Whole<Extract<RunEvent, { type: Type }>> } = {
  run_started: { type: 'run_started', run: 'RUN', changes: 3, left: { create: 1, update: 1, delete: 1 } },
  change_started: { type: 'change_started', ...subject },
  change_done: { type: 'change_done', ...subject, note: 'a note' },
  change_failed: { type: 'change_failed', ...failure },
  earlier_run: { type: 'earlier_run', message: 'Restored.' },
  stopping: { type: 'stopping', reason: 'why' },
  canary_started: { type: 'canary_started', changes: 3 },
  canary_verified: { type: 'canary_verified', done: 3, failed: 0 },
  verify_started: { type: 'verify_started' },
  verify_waiting: { type: 'verify_waiting', open: 1, milliseconds: 250 },
  run_ended: { type: 'run_ended', result },
};

const error = new WebsitesError('config-invalid', 'One problem.', {
  remedy: 'Mend it.',
  place: source,
  problems: [
    {
      severity: 'error',
      message: 'No.',
      remedy: 'Mend it.',
      place: source,
      excerpt: { text: 'x', length: 1 },
    },
  ],
});

const past: Whole<PastRun> = {
  run: 'RUN',
  at: '2026-11-20T09:30:00Z',
  made_by: { actor: 'ada', commit: 'cafe', url: 'https://ci.example/1' },
  service: { base_url: 'https://a.example' },
  planned: { create: 1, update: 0, delete: 0 },
  plan: 'sha256:cafe',
  undoes: 'RUN',
  closed: { converged: true, summary: result.summary, stopped: 'why' },
  finished: true,
  selected: true,
  finished_by: 'RUN',
};

const record: Whole<Omit<RunRecord, 'changes'>> & Pick<RunRecord, 'changes'> = {
  past,
  changes: [{ change: update, outcome: 'failed', earlier: true, id: '1', message: 'No.' }],
  sideEffects: [effect],
};

const list: ListedRecords = {
  service: 'https://a.example',
  records: [
    {
      website: {
        id: '1',
        domain: 'a.example',
        settings: { privacy: 1 },
        passwordSet: true,
        unreadable: { email: 'an object' },
      },
      status: 'orphan',
    },
  ],
  kind: 'list',
  requests: 1,
  complete: true,
};

const report: Whole<ImportReport> = {
  into: 'websites.yaml',
  written: true,
  refused: false,
  next: 'websites plan',
  unset: 'set it',
  added: 1,
  readings: [
    {
      file: 'sites.json',
      list: 'data.sites',
      taken: [{ column: 'Site', key: 'domain' }],
      header: 2,
      encoding: 'windows-1252',
      misnamed: [
        { column: 'State', key: 'state', expected: 'must be …', values: [{ value: 'CA', count: 2 }] },
      ],
      unknown: ['owner'],
      doubtful: ['state'],
    },
  ],
  skipped: [{ place: source, reason: 'duplicate', subject: 'a.example', message: 'It is there.' }],
  not_checked: [{ place: source, subject: 'b.example', message: 'It failed.' }],
};

const findings: Findings = {
  base_url: 'https://a.example',
  redirects: [{ status: 308, from: 'https://b.example', to: 'https://a.example' }],
  list: {
    envelope: 'data',
    paging: 'total',
    records: 1,
    total: 1,
    pages: 1,
    page_size: null,
    page_size_capped: false,
    complete: true,
    reason: 'it counts 1',
    refused_parameters: ['sort'],
  },
  search_finds: true,
  fields: [{ name: 'privacy', shown: 'list' }],
  tells_password_set: true,
  favorite: 'favorite',
  www: { with: 0, without: 1, both: 0 },
  unreadable: ['favorited_at of a.example: the service returned an object (expected a time)'],
  duplicates: ['a.example'],
  rate_limit: { headers: ['x-ratelimit-limit'], limit: 60, remaining: 57, reset_ms: 30_000 },
};

const NAMES: ReadonlySet<string> = new Set(FIELD_NAMES);

/** Paths of all keys as the page writes them, down to a place, a reference or a nested document. */
function pathsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsOf(item, `${path}[]`));
  if (typeof value !== 'object' || value === null || isLeaf(value, path)) return [path];
  return Object.entries(value).flatMap(([key, member]) => {
    const name = NAMES.has(key) ? 'NAME' : key;
    return path.endsWith('before')
      ? [`${path}.NAME`]
      : pathsOf(member, path === '' ? name : `${path}.${name}`);
  });
}

function isLeaf(value: object, path: string): boolean {
  const isPlace = 'line' in value && !('message' in value);
  return isPlace || path.endsWith('.ref') || path === 'changes[]' || (path !== '' && 'format' in value);
}

function listed(name: string): string[] {
  const [, table = ''] = PAGE.split(`| key of \`${name}\` | description |\n|---|---|\n`);
  const [rows = ''] = table.split('\n\n');
  return rows.split('\n').flatMap((row) => spansOf(row.split(' | ')[0] ?? ''));
}

function spansOf(text: string): string[] {
  return Array.from(text.matchAll(/`([^`]+)`/g), ([, span = '']) => span);
}

const sorted = (paths: readonly string[]): string[] => [...new Set(paths)].toSorted();

test.each([
  ['websites.plan/1', planJson(plan)],
  ['websites.result/1', jsonDocument(result)],
  ['websites.error/1', errorJson(error)],
  ['websites.runs/1', runsTexts([past], '', 0).json().join('')],
  ['websites.run/1', [...runTexts(record, undefined, 0).json()].join('')],
  ['websites.list/1', [...LIST_FORMATS.json(list)].join('')],
  ['websites.import/1', documentJson('import', report)],
  ['websites.doctor/1', doctorJson(findings)],
  [
    'websites.validation/1',
    documentJson('validation', {
      valid: [{ target: null, files: ['websites.yaml'], websites: 1, records: [resolvedRecord(explained)] }],
      warnings: error.problems.map((problem) => ({ ...problem, code: 'password-in-file' })),
    }),
  ],
])('the page lists the keys of %s', (name, text) => {
  expect(sorted(listed(name))).toEqual(sorted(pathsOf(JSON.parse(text))));
});

test('the page lists the keys of a change', () => {
  const { changes } = JSON.parse(planJson(plan));
  expect(sorted(listed('changes[]'))).toEqual(
    sorted(pathsOf(changes).map((path) => path.slice('[].'.length))),
  );
});

describe('events', () => {
  const section = PAGE.split(/^## /m).find((part) => part.startsWith('Events\n')) ?? '';
  const rows = Array.from(
    section.matchAll(/^\| `(\w+)` \| [^|]* \|(.*)\|$/gm),
    ([, type = '', keys = '']) => ({ type, keys: spansOf(keys) }),
  );
  const stream = [
    eventStreamOpening(),
    planEvents(plan),
    ...Object.values(EVENTS).map(jsonLine),
    ...runTexts(record, undefined, 0).ndjson().slice(1),
    errorLine(error),
  ];
  const lines = stream.flatMap((text) => text.trim().split('\n')).map((line) => JSON.parse(line));

  test('have a table for every type', () => {
    expect(sorted(rows.map(({ type }) => type))).toEqual(sorted(lines.map(({ type }) => type)));
  });

  test.each([
    'run_started',
    'stopping',
    'canary_started',
    'canary_verified',
    'verify_started',
    'verify_waiting',
    'run_ended',
  ])('the page lists the keys of %s', (type) => {
    const { type: _, ...keys } = lines.find((line) => line.type === type);
    expect(rows.find((row) => row.type === type)?.keys).toEqual(Object.keys(keys));
  });
});

test.runIf(HAS_JQ)('the jq examples of the page find something', () => {
  const lines = blocksOf(PAGE).flatMap(({ body }) =>
    body.split('\n').filter((line) => line.startsWith('jq ')),
  );
  expect(lines).not.toEqual([]);
  for (const line of lines) {
    const command = line.replace('checked.json', '-');
    const { stdout, status } = spawnSync('sh', ['-c', command], { input: planJson(plan), encoding: 'utf8' });
    expect({ line, status, isEmpty: stdout === '' }).toEqual({ line, status: 0, isEmpty: false });
  }
});
