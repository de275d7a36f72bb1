import { dirname, join, resolve } from 'node:path';
import { findInsertion, insertInto, shownText } from '../../config/edit/insertion.ts';
import { isInside } from '../../config/files/allowed-paths.ts';
import { exists, listFolder, unreadable } from '../../config/files/disk.ts';
import { utf16Of } from '../../config/files/encoding.ts';
import { findNearest, wayTo } from '../../config/files/files.ts';
import { placeToWrite } from '../../config/files/links.ts';
import { createSource, readSource, type Source } from '../../config/read/source.ts';
import { WebsitesError } from '../../model/errors.ts';
import { inBatches } from '../../report/chunks.ts';
import type { RecordStyle } from '../../report/export/yaml.ts';
import { readRegularFile } from '../../util/node/read-file.ts';
import { usageError } from '../argv/flags.ts';
import type { Io } from '../io/io.ts';
import { outOptions } from '../io/output.ts';
import { writeWhole } from '../io/write.ts';

/** The byte order mark of some UTF-8 files. */
const MARK = '\ufeff';

export interface Destination {
  readonly style: RecordStyle;
  /** Writes the file with `items` in it, or with `check` shows the result; returns whether it was written. */
  put(items: readonly string[], flags: PutFlags): Promise<boolean>;
}

interface PutFlags {
  readonly check?: boolean | undefined;
  readonly format?: string | undefined;
}

const SCHEMA_FILE = 'schema/websites.schema.json';

export async function findSchema(folder: string): Promise<string | undefined> {
  for (const path of [`./${SCHEMA_FILE}`, `./node_modules/websites-as-code/${SCHEMA_FILE}`]) {
    if (await exists(join(folder, path))) return path;
  }
  return undefined;
}

export async function readDestination(file: string, io: Io): Promise<Buffer | undefined> {
  return readRegularFile(resolve(io.cwd, file)).catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? undefined : unreadable(file)(error),
  );
}

/**
 * The files to load with `into`: those of `-f`, or the default ones if `into` is among them. Throws `usage` if not and
 * there are other files: their records would be added twice.
 */
export async function patternsAround(
  into: string,
  named: readonly string[] = [],
  { cwd }: Pick<Io, 'cwd'>,
  asks = true,
): Promise<string[]> {
  if (named.length > 0) return [...named, into];
  const found = await findNearest(cwd);
  const path = resolve(cwd, into);
  if (found !== undefined && isInside(path, [resolve(cwd, found)])) return [found];
  const others = [...(found === undefined ? [] : [resolve(cwd, found)]), ...(await neighborsOf(path))];
  if (!asks || others.length === 0) return [into];
  throw usageError(
    `${into} may be one of several files, such as ${wayTo(others[0] ?? '', cwd)}.`,
    `Pass -f with each file or directory of the configuration, or -f ${into} for that file alone.`,
  );
}

async function neighborsOf(path: string): Promise<string[]> {
  const names = (await listFolder(dirname(path)).catch(() => [])).map(({ name }) =>
    join(dirname(path), name),
  );
  const found = names.filter((name) => /\.ya?ml$/.test(name) && name !== path);
  const texts = await Promise.all(found.map((name) => readRegularFile(name).catch(() => '')));
  return found.filter((_, index) => /^["']?websites["']? *:/m.test(String(texts[index])));
}

function refuseUtf16(file: string, content: Buffer): void {
  if (utf16Of(content) === undefined) return;
  throw new WebsitesError('file-failed', `${file} cannot be edited: it is UTF-16.`, {
    remedy: 'Save it as UTF-8, then run the command again.',
  });
}

/** The bytes of a file to edit. Throws `config-missing`, and `file-failed` if it cannot be written. */
export async function readExisting(file: string, io: Io): Promise<Buffer> {
  await placeToWrite(resolve(io.cwd, file), io.cwd);
  const content = await readDestination(file, io);
  if (content === undefined)
    throw new WebsitesError('config-missing', `File not found: ${file}.`, {
      remedy: '--out writes a new file.',
    });
  refuseUtf16(file, content);
  return content;
}

/**
 * Finds the place for further records in a valid or new file. Throws `config-invalid`, and `file-failed` if it is
 * read-only.
 */
export async function openDestination(
  file: string,
  content: Buffer | string,
  io: Io,
  group?: string,
): Promise<Destination> {
  await placeToWrite(resolve(io.cwd, file), io.cwd);
  const old = typeof content === 'string' ? undefined : content;
  if (old !== undefined) refuseUtf16(file, old);
  const source = old === undefined ? createSource(file, String(content)) : readSource(file, old);
  const insertion = await findInsertion(source, group);
  return {
    style: insertion.style,
    async put(items, { check, format }) {
      if (items.length === 0) return false;
      const texts = insertInto(insertion, items);
      if (!check) await replaceFile(file, old, inBatches(texts), io);
      else if (format !== 'json') await showDiff(file, old && source, [...texts].join(''), io);
      return !check;
    },
  };
}

/** Prints the changes of a file, without its secrets; `before` is missing for a new one. */
export async function showDiff(
  file: string,
  before: Source | undefined,
  after: string,
  io: Io,
): Promise<void> {
  const { unifiedDiff } = await import('../../report/unified-diff.ts');
  const old = before && (await shownText(before));
  io.out(unifiedDiff(file, old, await shownText(createSource(file, after)), outOptions(io)));
}

/** Writes a file whole or not at all. Throws `file-failed`, also if it was edited meanwhile. */
export async function replaceFile(
  file: string,
  old: Buffer | undefined,
  texts: Iterable<string>,
  io: Io,
): Promise<void> {
  const mark = old?.toString('utf8', 0, 3) === MARK ? [MARK] : [];
  await writeWhole(file, [...mark, ...texts], io.cwd, async () => {
    const now = await readDestination(file, io);
    if (now === undefined ? old === undefined : old?.equals(now)) return;
    throw new WebsitesError('file-failed', `${file} changed during the command. Nothing was written.`, {
      remedy: 'Run the command again.',
    });
  });
}
