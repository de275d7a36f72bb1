import { RESULT_FORMATS } from '../../report/formats.ts';
import { undoOf } from '../../sync/undo.ts';
import { applySource } from '../apply-source.ts';
import { load, refuseTargetNames } from '../files.ts';
import { checkOutputs } from '../io/documents.ts';
import { nothingRead } from '../io/output.ts';
import type { CommandMain } from '../options.ts';
import { allowed, serviceSettings } from '../settings.ts';

export default (async (flags, io, [run]) => {
  const config = await load(flags, io);
  // A file that was not found may protect or ignore records that the run created.
  if (config.unmatched.length > 0) throw nothingRead(config.unmatched);
  const { domain = [] } = flags;
  refuseTargetNames(domain, config.targetNames);
  await checkOutputs(flags, config.files, RESULT_FORMATS, io);
  const source = undoOf({ config, run, domain, allow: allowed(flags) });
  return applySource(source, serviceSettings(config, flags, io), flags, io);
}) satisfies CommandMain<'undo'>;
