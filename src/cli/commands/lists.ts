/** Reads lists of domains for a command: their files, format and columns. */
import { extname, resolve } from 'node:path';
import { BULK_FORMATS, type BulkFormat, formatOf, KNOWN_EXTENSIONS } from '../../config/bulk/bulk.ts';
import { BULK_KEYS, plainName, type Renames } from '../../config/bulk/columns.ts';
import { readNamedFile } from '../../config/files/files.ts';
import type { ImportList } from '../../config/import/import.ts';
import { trimPlain } from '../../util/look-alikes.ts';
import { usageError } from '../argv/flags.ts';
import type { Io } from '../io/io.ts';
import type { Flags } from '../options.ts';

export function readLists(names: readonly string[], flags: Flags<'import'>, io: Io): Promise<ImportList[]> {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw usageError(`${twice} is named twice.`, 'Name each list once.');
  return Promise.all(
    names.map(async (path) => ({
      file: { path, absolute: resolve(io.cwd, path) },
      format: flags.fromFormat ?? formatOfName(path),
      bytes: await readNamedFile(path, resolve(io.cwd, path), io.stdin),
    })),
  );
}

function formatOfName(path: string): BulkFormat {
  const format = extname(path) === '' ? 'text' : formatOf(path);
  if (format !== undefined) return format;
  if (/\.(?:xlsx?|ods)$/i.test(path))
    throw usageError(`${path} is a spreadsheet.`, 'Export the sheet as CSV in UTF-8, and import that.');
  throw usageError(
    `Cannot tell the format of ${path} from its extension.`,
    `Name a file, or - for standard input. Pass --from-format ${BULK_FORMATS.join('|')}. Known extensions: ${KNOWN_EXTENSIONS}.`,
  );
}

/**
 * Splits each `NAME=VALUE`. With --map, the value may be empty. Errors do not contain the value, because it may be a
 * secret.
 */
export function pairsOf(flag: string, texts: readonly string[] = [], plain = (name: string) => name) {
  const isMap = flag === '--map';
  const pairs = new Map<string, string>();
  for (const text of texts) {
    const at = isMap ? text.lastIndexOf('=') : text.indexOf('=');
    if (at < 1 || (at === text.length - 1 && !isMap)) {
      const example = isMap ? '--map "Site URL=domain"' : '--default privacy=private';
      throw usageError(`${flag} needs NAME=VALUE.`, `Write it as ${example}.`);
    }
    const name = trimPlain(text.slice(0, at));
    if (pairs.has(plain(name))) throw usageError(`${flag} ${name} is given twice.`, 'Give it once.');
    pairs.set(plain(name), trimPlain(text.slice(at + 1)));
  }
  return pairs;
}

export function readRenames(texts: readonly string[] | undefined): Renames {
  const keys = [...pairsOf('--map', texts, plainName)];
  for (const [, key] of keys) {
    if (key !== '' && !BULK_KEYS.includes(key)) {
      throw usageError(
        `Unknown key for --map: ${JSON.stringify(key)}.`,
        `The keys are ${BULK_KEYS.join(', ')}.`,
      );
    }
  }
  return new Map(keys.map(([column, key]) => [column, key || undefined]));
}
