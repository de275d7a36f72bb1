/**
 * Laying out the files of a tree as they are asked for: what nobody asks for is not written, and in a partial clone not
 * even fetched. A directory that is asked for is laid out by its names alone, with empty files.
 */
import { mkdir, readlink, writeFile } from 'node:fs/promises';
import { posix } from 'node:path';

/** What is in a tree by its path: a file, a link, or the names that a directory has. */
type Entry = 'file' | 'link' | Set<string>;

export interface Layout {
  /** Whether anything is in the tree at `path`, or may be, behind a link. */
  holds(path: string): boolean;
  /**
   * Lays out what is at `paths`, in the way of the tree (with slashes), links followed. Returns whether there was anything
   * that was not there before.
   */
  layOut(paths: Iterable<string>): Promise<boolean>;
}

/** `listed` is what `git ls-files --stage -z` says; `checkOut` writes files, all of them at once, in `folder`. */
export function createLayout(
  listed: string,
  folder: string,
  checkOut: (paths: readonly string[]) => Promise<unknown>,
): Layout {
  const entries = entriesOf(listed);
  const there = new Set<string>();

  /** The first link on the way to a path, or at its end. */
  const linkOn = (path: string): string | undefined => {
    const names = path.split('/');
    const ways = names.map((_, index) => names.slice(0, index + 1).join('/'));
    return ways.find((way) => entries.get(way) === 'link');
  };

  /** What is written for a path: the first link on it, or what it leads to, with the links in a directory. */
  const writtenFor = (path: string): string[] => {
    const link = linkOn(path);
    if (link !== undefined) return [link];
    const entry = entries.get(path);
    if (!(entry instanceof Set)) return entry === undefined ? [] : [path];
    const children = [...entry].map((name) => posix.join(path, name));
    return [path, ...children.filter((child) => entries.get(child) === 'link')];
  };

  async function layOutNames(path: string, names: Iterable<string>): Promise<void> {
    await mkdir(posix.join(folder, path), { recursive: true });
    for (const name of names) {
      const child = posix.join(path, name);
      const entry = entries.get(child);
      if (entry instanceof Set) await mkdir(posix.join(folder, child), { recursive: true });
      else if (!there.has(child)) await writeFile(posix.join(folder, child), '');
    }
  }

  /** Lays out each path up to the first link on it; returns where such links lead. */
  async function step(paths: readonly string[]): Promise<string[]> {
    const missing = [...new Set(paths.flatMap(writtenFor))].filter((path) => !there.has(path));
    const files = missing.filter((path) => !(entries.get(path) instanceof Set));
    if (files.length > 0) await checkOut(files);
    for (const path of missing) there.add(path);
    for (const path of missing) {
      const entry = entries.get(path);
      if (entry instanceof Set) await layOutNames(path, entry);
    }
    const targets = paths.map(async (path) => {
      const link = linkOn(path);
      if (link === undefined) return [];
      const target = await readlink(posix.join(folder, link));
      return [posix.join(posix.dirname(link), target, path.slice(link.length))];
    });
    return (await Promise.all(targets)).flat();
  }

  return {
    holds: (path) => entries.has(path) || linkOn(path) !== undefined,
    async layOut(paths) {
      const before = there.size;
      const seen = new Set<string>();
      // Links in a circle lead to what was seen; one that leads out of the tree leads to nothing in it.
      for (let next = [...paths]; next.length > 0; ) {
        const fresh = next.map(tidy).filter((path) => !seen.has(path));
        for (const path of fresh) seen.add(path);
        next = await step(fresh);
      }
      return there.size > before;
    },
  };
}

/** A path as the entries have it: the top is ''. */
function tidy(path: string): string {
  return posix.normalize(path).replace(/\/$/, '').replace(/^\.$/, '');
}

const LINK_MODE = '120000';
/** Of a repository within: a directory, of which no more is known. */
const SUBMODULE_MODE = '160000';

function entriesOf(listed: string): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>([['', new Set()]]);
  const namesIn = (directory: string): Set<string> => {
    const known = entries.get(directory);
    if (known instanceof Set) return known;
    const names = new Set<string>();
    entries.set(directory, names);
    addName(directory);
    return names;
  };
  const addName = (path: string): void => {
    const at = path.lastIndexOf('/');
    namesIn(path.slice(0, Math.max(0, at))).add(path.slice(at + 1));
  };
  for (const line of listed.split('\0')) {
    const path = line.slice(line.indexOf('\t') + 1);
    if (path === '') continue;
    const mode = line.slice(0, LINK_MODE.length);
    entries.set(path, mode === LINK_MODE ? 'link' : mode === SUBMODULE_MODE ? new Set() : 'file');
    addName(path);
  }
  return entries;
}
