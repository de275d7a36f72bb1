/** The files below a folder, and file patterns: `*` and `?` within a name, `**` for any folders. */
import { realpath } from 'node:fs/promises';
import { join, normalize, resolve, sep } from 'node:path';
import { WebsitesError } from '../../model/errors.ts';
import { listFolder, type ReadAt, statusOf, toPosix } from './disk.ts';

/** One part of a pattern. Names that start with a dot are never matched. */
type GlobPart = '**' | ((name: string) => boolean);

const isYaml: GlobPart = (name) => /\.ya?ml$/.test(name);
/** What a folder stands for. */
const YAML_BELOW: readonly GlobPart[] = ['**', isYaml];

export function isGlob(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

/** The YAML files below `folder`, sorted. */
export function yamlFiles(folder: string, readAt: ReadAt): Promise<readonly string[]> {
  return filesBelow(folder, YAML_BELOW, readAt);
}

/**
 * The files that a pattern matches, seen from `cwd`, and the YAML files of folders that it matches, sorted; and the folder
 * that it begins with.
 */
export async function globFiles(
  cwd: string,
  pattern: string,
  readAt: ReadAt,
): Promise<{ readonly folder: string; readonly files: readonly string[] }> {
  const pieces = toPosix(normalize(pattern)).replace(/\/$/, '').split('/');
  const first = pieces.findIndex(isGlob);
  const parts = pieces.slice(first).map((piece): GlobPart => (piece === '**' ? '**' : nameMatcher(piece)));
  const above = pieces.slice(0, first).map((piece) => `${piece}/`);
  const folder = resolve(cwd, above.join(''));
  return {
    folder,
    files: await filesBelow(folder, parts.at(-1) === '**' ? [...parts, isYaml] : parts, readAt),
  };
}

/** Each piece between stars where it first fits: whatever the pattern, it takes no step back. */
function nameMatcher(piece: string): GlobPart {
  const [head = '', ...pieces] = piece
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('?', '.')
    .split(/\*+/);
  const tail = pieces.pop();
  const between = pieces.map((text, index) => `(?=(.*?${text}))\\${index + 1}`);
  const expression = new RegExp(`^${head}${between.join('')}${tail === undefined ? '' : `.*${tail}`}$`, 's');
  return (name) => expression.test(name);
}

async function filesBelow(
  folder: string,
  parts: readonly GlobPart[],
  readAt: ReadAt,
): Promise<readonly string[]> {
  if ((await statusOf(readAt(folder))) !== 'folder') return [];
  const under: GlobWalk = {
    top: await realpath(readAt(folder)),
    parts: [...parts, ...YAML_BELOW],
    last: parts.length - 1,
    walked: new Set(),
    found: new Set(),
    readAt,
  };
  await walk(folder, 0, under);
  return [...under.found].sort();
}

interface GlobWalk {
  /** The folder, its links followed, that links below it may not leave. */
  readonly top: string;
  /** Those of the pattern, the last of which is at `last`, then what a folder that it matches stands for. */
  readonly parts: readonly GlobPart[];
  readonly last: number;
  /** By folder and part: several `**` lead to the same in more ways than can be gone. */
  readonly walked: Set<string>;
  readonly found: Set<string>;
  readonly readAt: ReadAt;
}

/** Finds what the parts from `index` on match below `folder`. */
async function walk(folder: string, index: number, under: GlobWalk): Promise<void> {
  const { parts, walked } = under;
  const part = parts[index];
  const step = `${index} ${folder}`;
  if (part === undefined || walked.has(step)) return;
  walked.add(step);
  if (part === '**') {
    await walk(folder, index + 1, under);
    await walkFolders(folder, index, under);
  } else await walkMatches(folder, part, index, under);
}

async function walkMatches(
  folder: string,
  matches: Exclude<GlobPart, '**'>,
  index: number,
  under: GlobWalk,
): Promise<void> {
  const { parts, last, found, readAt } = under;
  const isLast = index === last || index === parts.length - 1;
  for (const { name, kind } of await listFolder(readAt(folder))) {
    if (!matches(name)) continue;
    const path = join(folder, name);
    if (kind === 'link') await refuseWayOut(path, under);
    if ((await statusOf(readAt(path))) === 'folder') {
      await walk(path, isLast ? parts.length - YAML_BELOW.length : index + 1, under);
    } else if (isLast) found.add(path);
  }
}

/** Links to folders are not entered: they may lead round in a circle. */
async function walkFolders(folder: string, index: number, under: GlobWalk): Promise<void> {
  for (const { name, kind } of await listFolder(under.readAt(folder))) {
    if (kind === 'folder') await walk(join(folder, name), index, under);
  }
}

/** What a pull request adds to a folder must not make the tool read, and quote, any file of the machine. */
async function refuseWayOut(path: string, { top, readAt }: GlobWalk): Promise<void> {
  const real = await realpath(readAt(path)).catch(() => undefined);
  if (real?.startsWith(top.endsWith(sep) ? top : `${top}${sep}`)) return;
  throw new WebsitesError(
    'config-missing',
    `${path} is a link that is broken, or leads out of its directory.`,
    {
      remedy: 'Name the file itself with -f, or remove the link.',
    },
  );
}
