/** The files that `--report` names: what may be written where, and the writing. */
import { resolve } from 'node:path';
import { realPath } from '../../config/files/disk.ts';
import { writeWhole } from '../../sync/write-atomic.ts';
import { unfit, usageError } from '../argv/flags.ts';
import type { Io } from './io.ts';

/** What names files that are written. */
export interface OutputFlags {
  readonly report?: readonly string[] | undefined;
  readonly out?: string | undefined;
}

/** The renderers of a command, by the name of their format. */
export type Formats<Format extends string> = Readonly<Record<Format, unknown>>;

/** Throws `usage` for a `--report` that is none, and for files that would be written twice, or over one that was read. */
export function checkOutputs(
  { report, out }: OutputFlags,
  read: readonly { readonly path: string }[],
  formats: Formats<string>,
  { cwd }: Pick<Io, 'cwd'>,
): void {
  const reports = readReports(report, formats).map(({ file }) => file);
  const sources = new Set(read.map(({ path }) => realPath(resolve(cwd, path))));
  const written = new Set<string>();
  for (const file of [...(out === undefined ? [] : [out]), ...reports]) {
    const path = resolve(cwd, file);
    if (written.has(path)) {
      throw usageError(`${file} would be written twice.`, 'Use a different file for each output.');
    }
    written.add(path);
    if (sources.has(realPath(path))) {
      throw usageError(`${file} is an input of the plan and would be overwritten.`, 'Name another file.');
    }
  }
}

/** Writes each report that was asked for. Throws `file-failed`. */
export async function writeReports<Format extends string>(
  { report }: OutputFlags,
  formats: Formats<Format>,
  text: (format: Format) => Promise<string | Iterable<string>>,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<void> {
  for (const { format, file } of readReports(report, formats)) {
    await writeWhole(file, await text(format), cwd);
  }
}

/** What was asked for as FORMAT=FILE. */
function readReports<Format extends string>(
  values: readonly string[] = [],
  formats: Formats<Format>,
): readonly { readonly format: Format; readonly file: string }[] {
  const isFormat = (text: string): text is Format => Object.hasOwn(formats, text);
  return values.map((value) => {
    const [, format = formatBy(value), file = value] = /^([a-z]+)=(.+)$/.exec(value) ?? [];
    if (!isFormat(format)) {
      const names = Object.keys(formats).join(', ');
      throw unfit(
        '--report',
        value,
        `Write FORMAT=FILE, with one of ${names}; or a FILE that ends in .html, .md or .json.`,
      );
    }
    if (file === '-') throw unfit('--report', value, 'Name a file. For a file called "-", write ./-.');
    return { format, file };
  });
}

/** The format that the name of a file tells; '' where it tells none. */
function formatBy(file: string): string {
  const [, ending = ''] = /\.(html|md|json)$/i.exec(file) ?? [];
  return ending.toLowerCase() === 'md' ? 'markdown' : ending.toLowerCase();
}
