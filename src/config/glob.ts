/** The files below a folder, and file patterns: `*` and `?` within a name, `**` for any folders. */
import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { WebsitesError } from '../core/errors.ts';
import { listFolder, type ReadAt, statusOf, toPosix } from './disk.ts';

/** One part of a pattern. Names that start with a dot are never matched. */
type Part = '**' | ((name: string) => boolean);

const isYaml: Part = (name) => /\.ya?ml$/.test(name);
/** What a folder stands for. */
const YAML_BELOW: readonly Part[] = ['**', isYaml];

export function isGlob(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

/** The YAML files below `folder`, sorted. */
export function yamlFiles(folder: string, readAt: ReadAt): Promise<readonly string[]> {
  return filesBelow(folder, YAML_BELOW, readAt);
}

/** The files that an absolute pattern matches, and the YAML files of folders that it matches, sorted. */
export function globFiles(pattern: string, readAt: ReadAt): Promise<readonly string[]> {
  const pieces = toPosix(pattern).split('/');
  const first = pieces.findIndex(isGlob);
  const parts = pieces.slice(first).map((piece): Part => (piece === '**' ? '**' : nameMatcher(piece)));
  return filesBelow(
    pieces.slice(0, first).join('/') || '/',
    parts.at(-1) === '**' ? [...parts, isYaml] : parts,
    readAt,
  );
}

function nameMatcher(piece: string): Part {
  const source = piece
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(/\*+/g, '.*')
    .replaceAll('?', '.');
  const expression = new RegExp(`^${source}$`, 's');
  return (name) => expression.test(name);
}

async function filesBelow(
  folder: string,
  parts: readonly Part[],
  readAt: ReadAt,
): Promise<readonly string[]> {
  if ((await statusOf(readAt(folder))) !== 'folder') return [];
  const found = new Set<string>();
  await walk(folder, parts, { top: await realpath(readAt(folder)), found, readAt });
  return [...found].sort();
}

interface Walk {
  /** The folder, its links followed, that links below it may not leave. */
  readonly top: string;
  readonly found: Set<string>;
  readonly readAt: ReadAt;
}

async function walk(folder: string, parts: readonly Part[], under: Walk): Promise<void> {
  const [part, ...rest] = parts;
  if (part === undefined) return;
  if (part === '**') {
    await walk(folder, rest, under);
    await walkFolders(folder, parts, under);
    return;
  }
  for (const { name, kind } of await listFolder(under.readAt(folder))) {
    if (!part(name)) continue;
    const path = join(folder, name);
    if (kind === 'link') await refuseWayOut(path, under);
    if ((await statusOf(under.readAt(path))) === 'folder')
      await walk(path, rest.length === 0 ? YAML_BELOW : rest, under);
    else if (rest.length === 0) under.found.add(path);
  }
}

/** Links to folders are not entered: they may lead round in a circle. */
async function walkFolders(folder: string, parts: readonly Part[], under: Walk): Promise<void> {
  for (const { name, kind } of await listFolder(under.readAt(folder))) {
    if (kind === 'folder') await walk(join(folder, name), parts, under);
  }
}

/** What a pull request adds to a folder must not make the tool read, and quote, any file of the machine. */
async function refuseWayOut(path: string, { top, readAt }: Walk): Promise<void> {
  const real = await realpath(readAt(path)).catch(() => undefined);
  if (real?.startsWith(top.endsWith(sep) ? top : `${top}${sep}`)) return;
  throw new WebsitesError('config-missing', `${path} is a link that leads nowhere, or out of its folder.`, {
    remedy: 'Name the file itself with -f, or take the link away.',
  });
}
