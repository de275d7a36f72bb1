/** What planning from the files begins with. */
import { noFile } from '../config/problems.ts';
import type { CommonFlags } from './command.ts';
import { loadEarlier } from './earlier.ts';
import type { FlagValues } from './flags.ts';
import type { Io } from './io.ts';
import { showWarnings } from './output.ts';
import { load, planOptionsOf, serviceSettings } from './settings.ts';
import type { COMPARE_FLAGS } from './shared-flags.ts';
import { checkPlanOutputs, type OutputFlags } from './surfaces.ts';

export type PrepareFlags = FlagValues<typeof COMPARE_FLAGS> & OutputFlags & CommonFlags;

/** Reads the files, with their warnings shown, and what was asked of them. Throws what any part of it throws. */
export async function prepare(flags: PrepareFlags, io: Io) {
  const config = await load(flags, io);
  checkPlanOutputs(flags, config, io);
  // Where no service is named, there is no plan whose guard would tell of patterns that match nothing.
  const isNamed = (flags['base-url'] ?? config.pins.base_url) !== undefined;
  showWarnings([...config.warnings, ...(isNamed ? [] : config.unmatched.map(noFile))], flags, io);
  const options = planOptionsOf(flags, config);
  const earlier = await loadEarlier(flags, io);
  const settings = serviceSettings(flags, config, io);
  return { config, options, earlier, settings };
}
