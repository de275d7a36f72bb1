import { type Config, loadConfig, loadEach } from '../../config/load.ts';
import { noFile, sortProblems } from '../../config/read/problems.ts';
import { EXIT, type ExitCode } from '../../model/errors.ts';
import { ifSet } from '../../planner/match.ts';
import { checkSelection, selected } from '../../planner/selection.ts';
import { inBatches } from '../../report/chunks.ts';
import {
  type Explained,
  explainedHuman,
  explainedRecord,
  resolvedCsv,
  resolvedRecord,
  resolvedYaml,
} from '../../report/resolved.ts';
import { validationJson, validHuman } from '../../report/validation.ts';
import { usageError } from '../argv/flags.ts';
import { loadOptions, refuseTargetNames } from '../files.ts';
import type { Io } from '../io/io.ts';
import { nothingRead, showWarnings } from '../io/output.ts';
import type { Flags } from '../options.ts';

export default async function run(flags: Flags<'validate'>, io: Io): Promise<ExitCode> {
  const configs = await loadAll(flags, io);
  const empty = configs.find(({ files }) => files.length === 0);
  if (empty !== undefined) throw nothingRead(empty.unmatched);
  const warnings = sortProblems(
    configs.flatMap(({ warnings: own, unmatched }) => [...own, ...unmatched.map(noFile)]),
  );
  showWarnings(warnings, io);
  if (flags.format === 'yaml' || flags.format === 'csv') printRecords(flags.format, configs, flags, io);
  else if (flags.format === 'json') {
    const valid = configs.map((config) => ({ ...validOf(config), records: recordsOf(config, flags) }));
    io.out(validationJson(valid, warnings));
  } else if (flags.domain === undefined) io.out(validHuman(configs.map(validOf)));
  else io.out(explainedHuman(configs.flatMap((config) => explained(config, flags))));
  return EXIT.done;
}

async function loadAll(flags: Flags<'validate'>, io: Io): Promise<readonly Config[]> {
  const options = { ...loadOptions(flags, io), ...(flags.domain && { explains: true as const }) };
  const { target } = flags;
  const configs = target === undefined ? await loadEach(options) : [await loadConfig({ ...options, target })];
  const { domain = [], group } = flags;
  for (const config of configs) refuseTargetNames(domain, config.targetNames);
  checkSelection(
    { domain, exclude: [], ...(group && { group }) },
    configs.map(({ desired }) => desired),
  );
  return configs;
}

function validOf({ desired, files, pins }: Config) {
  return {
    target: pins.target?.name,
    files: files.map(({ path }) => path),
    websites: desired.websites.length,
  };
}

/** The records with their positions that `--domain` and `--group` leave in. */
function selectedIn({ desired, pins }: Config, { domain = [], group }: Flags<'validate'>) {
  const options = { domain, exclude: [], ...(group && { group }), ...ifSet(pins) };
  const all = desired.websites.map((website, index) => ({ website, index }));
  return selected(all, ({ website }) => website.domain, options, [desired]);
}

function explained(config: Config, flags: Flags<'validate'>): readonly Explained[] {
  return selectedIn(config, flags).map(({ website, index }) => ({
    website,
    provenance: config.provenance?.(index) ?? [],
  }));
}

function recordsOf(config: Config, flags: Flags<'validate'>) {
  if (flags.domain !== undefined) return explained(config, flags).map(explainedRecord);
  return selectedIn(config, flags).map(({ website }) => resolvedRecord(website));
}

function printRecords(
  format: 'yaml' | 'csv',
  configs: readonly Config[],
  flags: Flags<'validate'>,
  io: Io,
): void {
  const [config, ...others] = configs;
  if (config === undefined || others.length > 0)
    throw usageError(`--format ${format} is for one target.`, 'Choose it with --target NAME.');
  const websites = selectedIn(config, flags).map(({ website }) => website);
  const pieces = format === 'yaml' ? resolvedYaml(websites) : resolvedCsv(websites);
  for (const text of inBatches(pieces)) io.out(text);
}
