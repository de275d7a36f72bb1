import type { Config } from '../../config/load.ts';
import type { Problem } from '../../model/errors.ts';
import { checkSelection, selected } from '../../planner/selection.ts';
import { terminalText } from '../../report/media/terminal.ts';
import {
  type Explained,
  explainedDocument,
  resolvedCsv,
  resolvedRecord,
  resolvedYaml,
  validationJson,
} from '../../report/resolved.ts';
import { usageError } from '../argv/flags.ts';
import type { Io } from '../io/io.ts';
import { outOptions, print } from '../io/output.ts';
import type { Flags } from '../options.ts';

export function checkSelected({ domain = [], group }: Flags<'validate'>, configs: readonly Config[]): void {
  const files = configs.map(({ desired }) => desired);
  checkSelection({ domain, exclude: [], ...(group && { group }) }, files);
}

interface ValidFiles {
  readonly target: string | undefined;
  readonly files: readonly string[];
  readonly websites: number;
}

export function printRecords(
  configs: readonly (readonly [config: Config, files: ValidFiles])[],
  warnings: readonly Problem[],
  flags: Flags<'validate'>,
  io: Io,
): void {
  const { format = 'human' } = flags;
  if (format === 'json') {
    const valid = configs.map(([config, { target = null, ...files }]) => {
      return { target, ...files, records: explained(config, flags).map(resolvedRecord) };
    });
    io.out(validationJson(valid, warnings));
  } else if (format === 'human') {
    const document = explainedDocument(configs.flatMap(([config]) => explained(config, flags)));
    io.out(terminalText(document, outOptions(io)));
  } else {
    const [one, ...others] = configs;
    if (one === undefined || others.length > 0)
      throw usageError(`--format ${format} is for one target.`, 'Choose it with --target NAME.');
    const websites = explained(one[0], flags).map(({ website }) => website);
    print(format === 'yaml' ? resolvedYaml(websites) : resolvedCsv(websites), io);
  }
}

function explained({ desired, pins, provenance }: Config, flags: Flags<'validate'>): readonly Explained[] {
  const { domain = [], group } = flags;
  const options = { domain, exclude: [], ...(group && { group }), www: pins.www };
  const all = desired.websites.map((website, index) => ({ website, index }));
  return selected(all, ({ website }) => website.domain, options, [desired]).map(({ website, index }) => {
    return { website, provenance: provenance?.(index) };
  });
}
