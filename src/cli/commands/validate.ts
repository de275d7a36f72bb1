import { type Config, loadConfig, loadEach, sortProblems } from '../../config/load.ts';
import { checkSelection, selection } from '../../planner/selection.ts';
import { documentJson } from '../../report/json.ts';
import { count, prose } from '../../report/sanitize.ts';
import { usageError } from '../argv/flags.ts';
import { loadOptions, refuseTargetNames } from '../files.ts';
import { nothingRead, outOptions, print, showWarnings } from '../io/output.ts';
import type { CommandMain } from '../options.ts';

export default (async (flags, io) => {
  const { target, domain, group, format = 'human' } = flags;
  const options = { ...loadOptions(flags, io), ...(domain && { explains: true as const }) };
  const configs = target === undefined ? await loadEach(options) : [await loadConfig(options)];
  const selected = { domain: domain ?? [], exclude: [], group };
  for (const { targetNames } of configs) refuseTargetNames(selected.domain, targetNames);
  checkSelection(
    selected,
    configs.map(({ desired }) => desired),
  );
  const empty = configs.find(({ files }) => files.length === 0);
  if (empty !== undefined) throw nothingRead(empty.unmatched);
  const warnings = sortProblems(configs.flatMap(({ notes }) => notes));
  showWarnings(warnings, io);
  if (format === 'human' && domain === undefined) {
    io.out(configs.map(validText).join(''));
    return;
  }
  const recordsIn = ({ desired, pins, provenance }: Config) => {
    const isSelected = selection({ ...selected, www: pins.www }, [desired]);
    return desired.websites.flatMap((website, index) =>
      isSelected(website.domain) ? [{ website, provenance: provenance?.(index) }] : [],
    );
  };
  // Loaded on demand, because a check without `--format` does not need this code.
  const { resolvedRecord, resolvedYaml, resolvedCsv, explainedDocument } = await import(
    '../../report/resolved.ts'
  );
  if (format === 'json') {
    const valid = configs.map((config) => ({
      target: config.pins.target?.name ?? null,
      files: config.files.map(({ path }) => path),
      websites: config.desired.websites.length,
      records: recordsIn(config).map(resolvedRecord),
    }));
    io.out(documentJson('validation', { valid, warnings }));
  } else if (format === 'human') {
    const { terminalText } = await import('../../report/media/terminal.ts');
    io.out(terminalText(explainedDocument(configs.flatMap(recordsIn)), outOptions(io)));
  } else {
    if (configs.length > 1) throw usageError(`--format ${format} prints one target.`, 'Pass --target NAME.');
    const websites = configs.flatMap(recordsIn).map(({ website }) => website);
    print(format === 'yaml' ? resolvedYaml(websites) : resolvedCsv(websites), io);
  }
}) satisfies CommandMain<'validate'>;

function validText({ pins: { target }, files, desired }: Config): string {
  const names = files.map(({ path }) => prose(path)).join(', ');
  const websites = count(desired.websites.length, 'website');
  return `Valid: ${target === undefined ? '' : `${target.name}: `}${websites} in ${names}.\n`;
}
