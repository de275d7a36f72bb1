/** Which run is to be gone on with (decision: "Every change is in the journal first"). */

import { lastUnfinished } from '../journal/list-runs.ts';
import { type RecordedRun, readJournal } from '../journal/reader.ts';
import { WebsitesError } from '../model/errors.ts';
import { runsCommand, scopeFlags } from '../model/next-command.ts';
import type { Connection } from './connect.ts';

/**
 * Reads the last run on this service that is not finished, in `folder`. Throws `run-missing` where there is
 * none, `plan-stale` where another came after it, and `seal-invalid` where it is not known to be ours.
 */
export async function findResumable(folder: string, connection: Connection): Promise<RecordedRun> {
  const { identity, seals, target, where } = connection;
  const about = { service: { target } };
  const again = `"websites apply${scopeFlags(about, where)}" plans again`;
  const list = runsCommand(about, where);
  const found = await lastUnfinished(folder, { base_url: identity }, seals);
  if (found === undefined) {
    throw new WebsitesError('run-missing', `No unfinished run on this service.`, {
      remedy: `"${list}" lists the runs; ${again}.`,
    });
  }
  const { info, later } = found;
  if (later !== undefined) {
    throw new WebsitesError('plan-stale', `Run ${later} came after run ${info.run}, which is not resumed.`, {
      remedy: `Nothing more was sent; ${again}.`,
    });
  }
  return readJournal(folder, info.run, { seals, list, remedy: `Nothing was sent; ${again}.` });
}
