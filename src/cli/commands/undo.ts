import type { ExitCode } from '../../model/errors.ts';
import { RESULT_FORMATS } from '../../report/formats.ts';
import { afterEarlierRuns, openSession } from '../../sync/session.ts';
import { planUndo } from '../../sync/undo.ts';
import { carryOut, openingOf } from '../apply.ts';
import { load, refuseTargetNames } from '../files.ts';
import { checkOutputs } from '../io/documents.ts';
import type { Io } from '../io/io.ts';
import { nothingRead } from '../io/output.ts';
import type { Flags } from '../options.ts';
import { allowed, serviceSettings } from '../session.ts';

const REVERT =
  'The files still declare what was undone, and the next apply would do it again. Revert the commit that declares it.';

export default async function run(flags: Flags<'undo'>, io: Io, [run]: readonly string[]): Promise<ExitCode> {
  const config = await load(flags, io);
  // Missing files may protect or ignore records that the run created.
  if (config.unmatched.length > 0) throw nothingRead(config.unmatched);
  refuseTargetNames(flags.domain ?? [], config.targetNames);
  checkOutputs(flags, config.files, RESULT_FORMATS, io);
  const opening = openingOf(serviceSettings(flags, config, io), flags, io);
  const undoing = { run, domain: flags.domain ?? [], allow: allowed(flags) };
  const source = afterEarlierRuns((connection) => planUndo(undoing, config, connection));
  const session = await openSession(source, config, opening);
  const { plan, skipped, isStillDeclared } = session;
  // Text and events contain the notes with the plan.
  const notes = flags.format === 'json' ? plan.warnings.map(({ message }) => message) : [];
  if (isStillDeclared && plan.changes.length > 0) notes.push(REVERT);
  return carryOut(session, flags, io, { notes, isShort: skipped > 0 });
}
