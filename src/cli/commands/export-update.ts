/**
 * Replaces values in files by the different values of the service (decision: "Accepted drift is written back in
 * place").
 */
import { resolve } from 'node:path';
import { readCurrent } from '../../client/read-current.ts';
import { updateFile } from '../../config/edit/accept.ts';
import { type Config, loadConfig } from '../../config/load.ts';
import { exitOf, WebsitesError } from '../../model/errors.ts';
import { type Accepted, acceptable, firstOther } from '../../planner/accept.ts';
import { namesIn } from '../../planner/match.ts';
import { checkSelection, idlePatterns, wantedOf } from '../../planner/selection.ts';
import { acceptedDocument } from '../../report/export/report.ts';
import { WRITING } from '../../report/export/yaml.ts';
import { withConnection } from '../../sync/connect.ts';
import { loadAtRevision } from '../../sync/since.ts';
import { loadOptions } from '../files.ts';
import type { Io } from '../io/io.ts';
import { showWarnings, tell } from '../io/output.ts';
import type { Flags } from '../options.ts';
import { planOptions, serviceSettings } from '../session.ts';
import { putFile } from './destination.ts';

export async function exportUpdate(into: string, flags: Flags<'export'>, before: Buffer, io: Io) {
  const { domain, since } = flags;
  const files = loadOptions(flags, io);
  const load = (bytes: Uint8Array): Promise<Config> => {
    const contents = new Map([[resolve(io.cwd, into), bytes]]);
    return loadConfig({ ...files, explains: true, contents });
  };
  const config = await load(before);
  showWarnings(config.notes, io);
  const options = planOptions({ domain, since }, config);
  const earlier = since === undefined ? undefined : (await loadAtRevision(since, files)).files;
  checkSelection(options, [config.desired, earlier]);
  return withConnection(serviceSettings(config, flags, io), async (connection) => {
    const { desired } = config;
    const { www } = options;
    const { service } = connection;
    const current = await readCurrent(service, await service.list(), wantedOf(desired, options), { www });
    const idle = idlePatterns({ desired, current, rules: options }, namesIn(current, options));
    showWarnings(
      idle.map((warning) => ({ severity: 'warning', ...warning })),
      io,
    );
    if (config.origin === undefined) throw new Error('The places of the records were not kept.');
    const accepted = acceptable(desired, current, options, earlier);
    const { records, others, file } = updateFile(accepted, config.origin, resolve(io.cwd, into), WRITING);
    if (file !== undefined) {
      await checkResult(config, records, into, () => load(Buffer.from(file.after)));
      await putFile(into, before, [file.after], flags, io);
    }
    const { check = false } = flags;
    const report = acceptedDocument({ records, others, into, check, complete: current.complete });
    tell(report, io);
    return exitOf({ changes: flags.check && file !== undefined });
  });
}

/** Throws `file-failed` unless the edited files differ from before only in the new values. */
async function checkResult(
  { desired }: Config,
  records: readonly Accepted[],
  into: string,
  load: () => Promise<Config>,
): Promise<void> {
  const after = await load().catch((error: unknown) => {
    if (!(error instanceof WebsitesError)) throw error;
    throw notUpdated(into, error.problems[0]?.message ?? error.message, error);
  });
  const changes = new Map(records.map((record) => [record.index, record]));
  const other = firstOther(desired, after.desired, changes);
  if (other !== undefined) throw notUpdated(into, `${other} would not have the values of the service`);
}

function notUpdated(into: string, reason: string, cause?: Error): WebsitesError {
  return new WebsitesError('file-failed', `${into} cannot be updated: ${reason}. Nothing was written.`, {
    remedy: 'Edit that website yourself, and update the others with --domain.',
    cause,
  });
}
