import { EXIT, type ExitCode, worstExit } from '../../model/errors.ts';
import { RESULT_FORMATS } from '../../report/formats.ts';
import { openUndo } from '../../sync/session.ts';
import { carryOut, openingOf } from '../apply.ts';
import { usageError } from '../argv/flags.ts';
import { load } from '../files.ts';
import { checkOutputs } from '../io/documents.ts';
import type { Io } from '../io/io.ts';
import { nothingRead } from '../io/output.ts';
import type { Flags } from '../options.ts';
import { allowed, serviceSettings } from '../session.ts';

export default async function run(
  flags: Flags<'undo'>,
  io: Io,
  [run, ...rest]: readonly string[],
): Promise<ExitCode> {
  if (rest.length > 0) throw usageError('"websites undo" takes one run.', '"websites runs" lists them.');
  const config = await load(flags, io);
  // Files that are missed may protect what the run created, or ignore it.
  if (config.unmatched.length > 0) throw nothingRead(config.unmatched);
  checkOutputs(flags, config.files, RESULT_FORMATS, io);
  const opening = openingOf(serviceSettings(flags, config, io), flags, io);
  const session = await openUndo(config, { run, allow: allowed(flags) }, opening);
  // Whoever reads text or events has them with the plan.
  const notes = flags.format === 'json' ? session.plan.warnings.map(({ message }) => message) : [];
  const code = await carryOut(session, flags, io, notes);
  return worstExit([code, ...(session.skipped > 0 ? [EXIT.stale] : [])]);
}
