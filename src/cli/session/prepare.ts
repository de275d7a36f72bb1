/** What planning from the files begins with. */
import type { Config } from '../../config/load.ts';
import { noFile } from '../../config/read/problems.ts';
import { PLAN_FORMATS } from '../../report/formats.ts';
import type { Host } from '../../sync/connect.ts';
import type { Io } from '../io/io.ts';
import { showWarnings } from '../io/output.ts';
import { checkOutputs, type Formats, type OutputFlags } from '../io/reports.ts';
import type { Flags } from '../options.ts';
import { load, loadOptions, type PlanningFlags, planOptionsOf, serviceSettings } from './settings.ts';

export type PrepareFlags = PlanningFlags & Pick<Flags<'drift'>, 'verbose' | 'quiet'> & OutputFlags;

/**
 * Reads the files, with their warnings shown, and what was asked of them; `formats` are those of its reports. Throws what
 * any part of it throws.
 */
export async function prepare(flags: PrepareFlags, io: Io, formats: Formats<string> = PLAN_FORMATS) {
  const config = await load(flags, io);
  checkOutputs(flags, config.files, formats, io);
  // Where no service is named, there is no plan whose guard would tell of patterns that match nothing.
  const isNamed = (flags['base-url'] ?? config.pins.base_url) !== undefined;
  showWarnings([...config.warnings, ...(isNamed ? [] : config.unmatched.map(noFile))], io);
  const planned = await planning(config, flags, io);
  return { config, ...planned, settings: serviceSettings(flags, config, io) };
}

/** What planning from `config` goes by. Throws `usage`, and what reading an earlier revision throws. */
export async function planning(config: Config, flags: PlanningFlags, io: Host) {
  const options = planOptionsOf(flags, config);
  const { since, target, prune } = flags;
  if (since === undefined) return { options, extras: {} };
  const { compareSince } = await import('../../sync/removals.ts');
  const compared = { config, options: { ...loadOptions(flags, io), target }, baseUrl: flags['base-url'] };
  return { options, extras: await compareSince(since, compared, prune) };
}
