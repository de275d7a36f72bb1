import { type Config, loadConfig, loadEach } from '../../config/load.ts';
import { noFile, sortProblems } from '../../config/read/problems.ts';
import { EXIT, type ExitCode } from '../../model/errors.ts';
import { prose } from '../../report/sanitize.ts';
import { count } from '../../report/words.ts';
import { loadOptions, refuseTargetNames } from '../files.ts';
import type { Io } from '../io/io.ts';
import { nothingRead, showWarnings } from '../io/output.ts';
import type { Flags } from '../options.ts';

export default async function run(flags: Flags<'validate'>, io: Io): Promise<ExitCode> {
  const { domain, group, format = 'human' } = flags;
  const configs = await loadAll(flags, io);
  // Loads the code for selecting and showing records only if needed.
  const isShort = format === 'human' && domain === undefined && group === undefined;
  const records = isShort ? undefined : await import('./validate-records.ts');
  records?.checkSelected(flags, configs);
  const empty = configs.find(({ files }) => files.length === 0);
  if (empty !== undefined) throw nothingRead(empty.unmatched);
  const warnings = sortProblems(
    configs.flatMap(({ warnings: own, unmatched }) => [...own, ...unmatched.map(noFile)]),
  );
  await showWarnings(warnings, io);
  const valid = configs.map((config) => [config, validOf(config)] as const);
  if (format === 'human' && domain === undefined) for (const [, files] of valid) io.out(validText(files));
  else records?.printRecords(valid, warnings, flags, io);
  return EXIT.done;
}

async function loadAll(flags: Flags<'validate'>, io: Io): Promise<readonly Config[]> {
  const { target, domain } = flags;
  const options = { ...loadOptions(flags, io), ...(domain && { explains: true as const }) };
  const configs = target === undefined ? await loadEach(options) : [await loadConfig({ ...options, target })];
  for (const { targetNames } of configs) refuseTargetNames(domain ?? [], targetNames);
  return configs;
}

function validText({ target, files, websites }: ReturnType<typeof validOf>): string {
  const names = files.map((file) => prose(file)).join(', ');
  return `Valid: ${target === undefined ? '' : `${target}: `}${count(websites, 'website')} in ${names}.\n`;
}

function validOf({ desired, files, pins }: Config) {
  return {
    target: pins.target?.name,
    files: files.map(({ path }) => path),
    websites: desired.websites.length,
  };
}
