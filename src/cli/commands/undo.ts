import type { ExitCode } from '../../model/errors.ts';
import { RESULT_FORMATS } from '../../report/formats.ts';
import { undoOf } from '../../sync/undo.ts';
import { carryOut } from '../apply.ts';
import { load, refuseTargetNames } from '../files.ts';
import { checkOutputs } from '../io/documents.ts';
import type { Io } from '../io/io.ts';
import { nothingRead } from '../io/output.ts';
import type { Flags } from '../options.ts';
import { allowed, serviceSettings } from '../session.ts';

export default async function run(flags: Flags<'undo'>, io: Io, [run]: readonly string[]): Promise<ExitCode> {
  const config = await load(flags, io);
  // Missing files may protect or ignore records that the run created.
  if (config.unmatched.length > 0) throw nothingRead(config.unmatched);
  const { domain = [] } = flags;
  refuseTargetNames(domain, config.targetNames);
  checkOutputs(flags, config.files, RESULT_FORMATS, io);
  const opening = { ...serviceSettings(flags, config, io), secrets: config.secrets };
  return carryOut(undoOf({ config, run, domain, allow: allowed(flags) }), opening, flags, io);
}
