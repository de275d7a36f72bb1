import { type Config, loadConfig, loadEach, sortProblems } from '../../config/load.ts';
import type { Problem } from '../../model/errors.ts';
import { checkSelection, selection } from '../../planner/selection.ts';
import { documentJson } from '../../report/json.ts';
import { prose } from '../../report/sanitize.ts';
import { count } from '../../report/words.ts';
import { usageError } from '../argv/flags.ts';
import { loadOptions, refuseTargetNames } from '../files.ts';
import type { Io } from '../io/io.ts';
import { nothingRead, outOptions, print, showWarnings } from '../io/output.ts';
import type { CommandMain, Flags } from '../options.ts';

export default (async (flags, io) => {
  const { target, domain, format = 'human' } = flags;
  const options = { ...loadOptions(flags, io), ...(domain && { explains: true as const }) };
  const configs = target === undefined ? await loadEach(options) : [await loadConfig(options)];
  for (const { targetNames } of configs) refuseTargetNames(domain ?? [], targetNames);
  const files = configs.map(({ desired }) => desired);
  checkSelection(selectionOf(flags), files);
  const empty = configs.find((config) => config.files.length === 0);
  if (empty !== undefined) throw nothingRead(empty.unmatched);
  const warnings = sortProblems(configs.flatMap(({ notes }) => notes));
  showWarnings(warnings, io);
  if (format === 'human' && domain === undefined) io.out(configs.map(validText).join(''));
  else await printRecords(configs, warnings, flags, io);
}) satisfies CommandMain<'validate'>;

function selectionOf({ domain = [], group }: Flags<'validate'>) {
  return { domain, exclude: [], group };
}

function validText({ pins: { target }, files, desired }: Config): string {
  const names = files.map(({ path }) => prose(path)).join(', ');
  const websites = count(desired.websites.length, 'website');
  return `Valid: ${target === undefined ? '' : `${target.name}: `}${websites} in ${names}.\n`;
}

async function printRecords(
  configs: readonly Config[],
  warnings: readonly Problem[],
  flags: Flags<'validate'>,
  io: Io,
): Promise<void> {
  const { format } = flags;
  // Loaded on demand, because checking files does not need it.
  const resolved = await import('../../report/resolved.ts');
  const recordsIn = ({ desired, pins, provenance }: Config) => {
    const isSelected = selection({ ...selectionOf(flags), www: pins.www }, [desired]);
    return desired.websites.flatMap((website, index) =>
      isSelected(website.domain) ? [{ website, provenance: provenance?.(index) }] : [],
    );
  };
  if (format === 'json') {
    const valid = configs.map((config) => ({
      target: config.pins.target?.name ?? null,
      files: config.files.map(({ path }) => path),
      websites: config.desired.websites.length,
      records: recordsIn(config).map(resolved.resolvedRecord),
    }));
    io.out(documentJson('validation', { valid, warnings }));
  } else if (format === 'yaml' || format === 'csv') {
    const [config, ...others] = configs;
    if (config === undefined || others.length > 0)
      throw usageError(`--format ${format} is for one target.`, 'Choose it with --target NAME.');
    const websites = recordsIn(config).map(({ website }) => website);
    print(format === 'yaml' ? resolved.resolvedYaml(websites) : resolved.resolvedCsv(websites), io);
  } else {
    const { terminalText } = await import('../../report/media/terminal.ts');
    io.out(terminalText(resolved.explainedDocument(configs.flatMap(recordsIn)), outOptions(io)));
  }
}
