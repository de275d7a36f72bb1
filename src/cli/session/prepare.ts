/** What planning from the files begins with. */
import { noFile } from '../../config/read/problems.ts';
import { PLAN_FORMATS } from '../../report/formats.ts';
import type { Io } from '../io/io.ts';
import { showWarnings } from '../io/output.ts';
import { checkOutputs, type Formats, type OutputFlags } from '../io/reports.ts';
import type { Flags } from '../options.ts';
import { load, loadOptions, planOptionsOf, serviceSettings } from './settings.ts';

/** Those of commands that compare the files with the service. */
export type PrepareFlags = Omit<Flags<'drift'>, 'format' | 'fail-on-orphans'> & OutputFlags;

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
  const options = planOptionsOf(flags, config);
  const { since } = flags;
  const compared = {
    config,
    options: { ...loadOptions(flags, io), target: flags.target },
    baseUrl: flags['base-url'],
  };
  const extras =
    since === undefined
      ? {}
      : await (await import('../../sync/removals.ts')).compareSince(since, compared, flags.prune);
  const settings = serviceSettings(flags, config, io);
  return { config, options, extras, settings };
}
