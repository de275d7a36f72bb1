import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Result, RunEvent } from '../../src/model/run.ts';
import { eventHuman, eventStreamOpening, planEvents } from '../../src/report/events.ts';
import { given, planFor, shown, wanted } from '../support/plans.ts';
import { plan } from './arbitrary.ts';

const shop = { action: 'create', domain: 'shop.example.com' } as const;

const failed = { type: 'change_failed', ...shop, code: 'service-refused', message: 'No.' } as const;

const CASES: [RunEvent, string | undefined][] = [
  [
    { type: 'run_started', run: '20261120T093000Z-4f2a', changes: 12 },
    'Run 20261120T093000Z-4f2a: 12 changes.\n',
  ],
  [{ type: 'change_started', ...shop }, undefined],
  [{ type: 'change_done', ...shop, id: '7' }, '+ created  shop.example.com  #7\n'],
  [
    { type: 'change_done', ...shop, id: '7', note: 'it was adopted' },
    '+ created  shop.example.com  #7  (it was adopted)\n',
  ],
  [
    { type: 'change_done', action: 'delete', domain: 'a.example.com', id: '8' },
    '- deleted  a.example.com  #8\n',
  ],
  [{ ...failed, outcome: 'failed', status: 422, attempts: 1 }, '! create failed (422)  shop.example.com\n'],
  [
    { ...failed, outcome: 'unknown', attempts: 2 },
    '! create outcome unknown (2 attempts)  shop.example.com\n',
  ],
  [{ type: 'stopping', reason: 'it was interrupted' }, 'Stopping: it was interrupted\n'],
  [{ type: 'canary_started', changes: 1 }, 'Canary: 1 change.\n'],
  [{ type: 'canary_verified', done: 5, failed: 0 }, 'Canary verified: 5 changes.\n'],
  [{ type: 'canary_verified', done: 48, failed: 2 }, 'Canary verified: 48 changes, 2 changes failed.\n'],
  [{ type: 'verify_started' }, 'Verifying …\n'],
  [
    { type: 'verify_waiting', open: 1, milliseconds: 500 },
    '1 change not visible yet, reading again in 0.5 s.\n',
  ],
  [{ type: 'run_ended', result: {} as Result }, undefined],
];

it.each(CASES)('eventHuman prints for %j: %j', (value, expected) => {
  expect(eventHuman(value, { color: false, width: 80 })).toBe(expected);
});

it('an event stream begins with its version', () => {
  expect(eventStreamOpening()).toBe('{"type":"version","format":"websites.event/1"}\n');
});

const lines = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

it('planEvents prints each change, then the summary', () => {
  const situation = planFor(
    given(
      [wanted('a.example.com', { email: true }, 3), wanted('b.example.com', {}, 7)],
      [shown('a.example.com', 1, { email: false })],
    ),
  );
  const [create, update, summary, ...rest] = lines(planEvents(situation));
  expect(create).toEqual({ type: 'planned_change', ...situation.changes[0] });
  expect(update).toEqual({ type: 'planned_change', ...situation.changes[1] });
  expect(summary).toMatchObject({ type: 'change_summary', create: 1, update: 1, digest: situation.digest });
  expect(rest).toEqual([]);
});

it('planEvents prints lines that parse for any plan', () => {
  fc.assert(
    fc.property(plan, (value) => {
      const types = lines(planEvents(value)).map(({ type }) => type);
      expect(types).toEqual([...value.changes.map(() => 'planned_change'), 'change_summary']);
    }),
  );
});
