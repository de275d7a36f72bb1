import { dirname, join, resolve } from 'node:path';
import { shownText } from '../../config/edit/insertion.ts';
import { utf16Of } from '../../config/files/encoding.ts';
import { findNearest, wayTo } from '../../config/files/files.ts';
import { isInside, listFolder, placeToWrite, throwUnreadable } from '../../config/files/paths.ts';
import { createSource, readSource } from '../../config/read/source.ts';
import { WebsitesError } from '../../model/errors.ts';
import { readRegularFile } from '../../util/node/read-file.ts';
import { usageError } from '../argv/flags.ts';
import type { Io } from '../io/io.ts';
import { outOptions } from '../io/output.ts';
import { writeWhole } from '../io/write.ts';
import type { AnyFlags } from '../options.ts';

/** Byte order mark, with which some UTF-8 files start. */
const MARK = '\ufeff';

/**
 * Returns the content of a file to change, or `undefined` for a new file. Throws `file-failed` if the file cannot be
 * read, written or edited.
 */
export async function readDestination(file: string, io: Pick<Io, 'cwd'>): Promise<Buffer | undefined> {
  const path = resolve(io.cwd, file);
  await placeToWrite(path, io.cwd);
  const content = await readRegularFile(path).catch((error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? undefined : throwUnreadable(file)(error),
  );
  if (content === undefined || utf16Of(content) === undefined) return content;
  throw new WebsitesError('file-failed', `${file} cannot be edited: it is UTF-16.`, {
    remedy: 'Save it as UTF-8, then run the command again.',
  });
}

/**
 * Returns the files to load together with `into`: those of `-f`, or the default files if `into` is one of them.
 * Throws `usage` if only other files exist, because their records would be added a second time.
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

/**
 * Writes a file as a whole. With `check`, prints the changes without secrets instead. `before` is missing for a new
 * file. Returns true if the file was written. Throws `file-failed`, also if the file was edited meanwhile.
 */
export async function putFile(
  file: string,
  before: Buffer | undefined,
  texts: Iterable<string>,
  { check, format }: Pick<AnyFlags, 'check' | 'format'>,
  io: Io,
): Promise<boolean> {
  if (check) {
    if (format === 'json') return false;
    const { unifiedDiff } = await import('../../report/unified-diff.ts');
    const old = before && (await shownText(readSource(file, before)));
    io.out(unifiedDiff(file, old, await shownText(createSource(file, [...texts].join(''))), outOptions(io)));
    return false;
  }
  const mark = before?.toString('utf8', 0, 3) === MARK ? [MARK] : [];
  await writeWhole(file, [...mark, ...texts], io.cwd, async () => {
    const now = await readDestination(file, io);
    if (now === undefined ? before === undefined : before?.equals(now)) return;
    throw new WebsitesError('file-failed', `${file} changed during the command. Nothing was written.`, {
      remedy: 'Run the command again.',
    });
  });
  return true;
}
