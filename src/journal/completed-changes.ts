/** What a run did, as taking it back has to know it. */
import type { Done } from '../model/run.ts';
import { runsAt } from './list-runs.ts';
import { doneAt, mayBeSent, type RecordedRun, readJournal, type Trust } from './reader.ts';

/**
 * The changes that a run carried out, and those of the killed run that it goes on with which it found carried
 * out: no journal but its own knows their end. Other journals that are not to be trusted are passed over. Throws as
 * readJournal does.
 */
export async function doneBy(recorded: RecordedRun, folder: string, trust: Trust): Promise<readonly Done[]> {
  return [...ownOf(recorded), ...(await foundBy(recorded, folder, trust))];
}

function ownOf({ plan, ended }: RecordedRun): readonly Done[] {
  return [...ended].flatMap(([index, { fate, id }]) => (fate === 'done' ? doneAt(plan, index, id) : []));
}

/** None where the journal of the killed run is not kept any more: what it had sent cannot be told. */
async function foundBy(recorded: RecordedRun, folder: string, trust: Trust): Promise<readonly Done[]> {
  const { plan, run, continues, service, settled } = recorded;
  if (continues === undefined) return [];
  const runs = (await runsAt(folder, service, trust.seals)).filter(({ sealed }) => sealed === true);
  if (!runs.some((info) => info.run === continues)) return [];
  const sent = mayBeSent(await readJournal(folder, continues, trust));
  const found = [...settled].flatMap(([index, id]) => (sent.has(index) ? doneAt(plan, index, id) : []));
  if (found.length === 0) return [];
  // What a run in between did to these records is its own.
  const between = runs.filter((info) => continues < info.run && info.run < run);
  const journals = await Promise.all(between.map((info) => readJournal(folder, info.run, trust)));
  const others = new Set(journals.flatMap(ownOf).map(({ id }) => id));
  return found.filter(({ id }) => !others.has(id));
}
