/** What a journal records of each change of its run. */
import type { RecordedChange, RunRecord } from '../model/run-record.ts';
import { mayBeSent, type RecordedRun } from './reader.ts';

/** `settled` are the changes, by index, of which nothing is owed any more. */
export function recordOf(recorded: RecordedRun, settled: ReadonlySet<number>): RunRecord {
  const { plan, ended, sideEffects, owed, ...past } = recorded;
  const maybe = mayBeSent(recorded);
  const changes = plan.changes.map((change, index): RecordedChange => {
    const own = change.action === 'create' ? {} : { id: change.id };
    if (recorded.settled.has(index)) {
      const id = recorded.settled.get(index);
      return { change, fate: 'done', earlier: true, ...own, ...(id === undefined ? {} : { id }) };
    }
    const { withheld: _, ...end } = ended.get(index) ?? {
      fate: maybe.has(index) ? 'unknown' : 'not_attempted',
    };
    return { change, ...own, ...end };
  });
  const open = owed.filter(({ index }) => !settled.has(index));
  return {
    past,
    changes,
    sideEffects,
    owed: open.map(({ domain, id, left }) => ({ domain, id, fields: left })),
  };
}
