import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Failure, Result } from '../../../src/model/run.ts';
import { jsonDocument } from '../../../src/report/json.ts';
import { domainOf, times } from '../../support/plans.ts';
import { result } from '../arbitrary.ts';
import { resultHuman } from '../render.ts';
import { DONE } from '../situations.ts';

const render = (parts: Partial<Result>, width = 80): string =>
  resultHuman({ ...DONE, ...parts }, { color: false, width });

const summary = (parts: Partial<Result['summary']>): Result['summary'] => ({ ...DONE.summary, ...parts });
/** A summary of nothing applied. */
const none = (parts: Partial<Result['summary']> = {}) =>
  summary({ created: 0, updated: 0, deleted: 0, ...parts });

const outcomes: [Partial<Result>, RegExp][] = [
  [{ run: null, summary: none() }, /^Nothing to apply. 125 websites match the configuration.\n$/],
  [{ undoes: 'R1', summary: none() }, /^Nothing to apply. Nothing left to undo from run R1. Run /],
  [{}, /^Verified: 5 of 5 changes\.\n/],
  [{ converged: null }, /^Not verified: the records were not read again after the apply.\n/],
  [
    { converged: null, interrupted: true },
    /^Not verified: the run was interrupted before the records were read again.\n/,
  ],
  [{ converged: null, summary: none({ failed: 1 }) }, /^help: Applied changes are kept/],
  [
    {
      converged: false,
      residual: [{ action: 'delete', domain: 'a.example.com', message: 'it still exists' }],
    },
    /^Not converged \(1 record\):\n {2}delete a\.example\.com: it still exists\n\nhelp: Check these records on the service, then run "websites apply" again\.\n/,
  ],
  [
    {
      converged: false,
      residual: [
        { action: 'update', domain: 'a.example.com', field: 'email', wanted: true, message: 'email' },
        { action: 'delete', domain: 'b.example.com', message: 'it still exists' },
      ],
    },
    /\nhelp: Run "websites doctor" to see what this service does with these fields\.\n/,
  ],
  [
    {
      scope: '-f all.yaml --target staging',
      converged: false,
      residual: [{ action: 'update', domain: 'a.example.com', field: 'email', message: 'email' }],
    },
    /\nhelp: Run "websites doctor -f all\.yaml --target staging" to see /,
  ],
  [{ converged: null, summary: none(), notes: ['No proof.'] }, /^note: No proof\.\n\nApplied: 0 created, /],
  [{ summary: summary({ failed: 1 }) }, /^Verified: 5 of 6 changes\./],
  [
    { interrupted: true, summary: summary({ not_attempted: 2 }) },
    /\nInterrupted: 3 created, 1 updated, 1 deleted, 2 not attempted in 0.4 s \(7 requests\)\. Run 20261120T093000Z-4f2a\.\n$/,
  ],
  [
    { run: null, summary: none({ not_attempted: 2 }), converged: null },
    /^help: Nothing was sent. Run "websites apply" to make a new plan\.\n/,
  ],
  [
    { undoes: 'R1', summary: summary({ failed: 1 }) },
    /help: Applied changes are kept. Run "websites undo R1" again for the rest\.\n/,
  ],
  [{ undoes: 'R1', summary: summary({ not_attempted: 1 }) }, /Run "websites undo R1" again for the rest\.\n/],
  [
    { scope: '--target prod', summary: summary({ failed: 1 }) },
    /Run "websites apply --target prod" again for the rest\.\n/,
  ],
  [
    { scope: '-f a.yaml', selection: '--domain a.example --no-prune', summary: summary({ failed: 1 }) },
    /Run "websites apply -f a\.yaml --domain a\.example --no-prune" again for the rest\.\n/,
  ],
  [{ requests: 1, seconds: 83 }, /in 83 s \(1 request\)/],
];

it.each(outcomes)('a result with %j is printed as %s', (parts, expected) => {
  expect(render(parts)).toMatch(expected);
});

it('a result groups equal failures, and shows others in full', () => {
  const failure = (index: number, message: string): Failure => ({
    action: 'create',
    domain: domainOf(index),
    outcome: index === 119 ? 'unknown' : 'failed',
    code: 'service-refused',
    message,
    attempts: 1,
  });
  const many = times(120, (index) => failure(index, `No ${index}.`));
  const text = render({ summary: summary({ failed: 120 }), failures: many });
  expect(text).toMatch(/^! create {2}site-00119\.example\.com\n {6}outcome unknown: No 119\./);
  expect(text.match(/failed: No/g)).toHaveLength(119);
  const alike = times(9, (index) => failure(index, 'No.'));
  expect(render({ summary: summary({ failed: 9 }), failures: alike })).toMatch(
    /^! create {2}9 records\n {6}failed: No\.\n {6}site-00000\.example\.com/,
  );
});

it('a result counts changes that were not attempted, and groups equal notes', () => {
  const text = render({
    summary: summary({ not_attempted: 70 }),
    not_attempted: times(70, (index) => ({ action: 'delete', domain: domainOf(index) })),
    stopped: 'Cannot list: the key was refused.',
    notes: times(176, (index) => `${domainOf(index)}: the service stored it as www.${domainOf(index)}.`),
  });
  expect(text).toContain('Not attempted: 70 changes (Cannot list: the key was refused):\n  site-00000.');
  expect(text).toContain('… and 60 more\n');
  expect(text).toContain(
    'note: site-00000.example.com: the service stored it as www.site-00000.example.com. (and 175 more like it)\n',
  );
  expect(text.split('\n').length).toBeLessThan(15);
});

it('a result printed as JSON parses to the same result', () => {
  fc.assert(
    fc.property(result, (value) => {
      expect(JSON.parse(jsonDocument(value))).toEqual(value);
    }),
  );
});
