/**
 * Where files that Git tracks name domains, comments included: a website that was removed from the files that a run reads
 * may have moved to one that it does not read.
 */
import { lstat, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { wayTo } from '../config/files/files.ts';
import { domainKey } from '../model/domain.ts';
import type { Place } from '../model/errors.ts';
import { readRegularFile } from '../util/node/read-file.ts';
import { gitIn, layOutRevision } from './revision.ts';

/** Where websites may be declared. */
const EXTENSIONS = /\.(?:ya?ml|csv|json|ndjson|txt)$/i;

/** The first place of each of `domains` that a tracked file holds as a whole name, in the working tree or in HEAD. */
export async function stillNamed(
  domains: ReadonlySet<string>,
  cwd: string,
): Promise<ReadonlyMap<string, Place>> {
  const found = new Map<string, Place>();
  if (domains.size === 0) return found;
  const git = gitIn(cwd);
  const top = await realpath(await git(['rev-parse', '--show-toplevel']));
  const here = await realpath(cwd);
  const listed = async (...args: string[]): Promise<string[]> =>
    (await git(['-C', top, ...args])).split('\0').filter((path) => EXTENSIONS.test(path));
  for (const path of await listed('ls-files', '-z')) {
    const text = await textAt(join(top, path));
    if (text !== undefined) findIn(text, wayTo(join(top, path), here), domains, found);
  }
  const changed = new Set(await listed('-c', 'diff.relative=false', ...DIFF, 'HEAD'));
  const committed: string[] = [];
  for (const path of await listed('ls-tree', '-r', '-z', '--name-only', 'HEAD')) {
    if (changed.has(path) || (await textAt(join(top, path))) === undefined) committed.push(path);
  }
  await findCommitted(committed, top, domains, found);
  return found;
}

const DIFF = ['diff', '--name-only', '--no-renames', '--no-ext-diff', '-z'];

async function findCommitted(
  paths: readonly string[],
  top: string,
  domains: ReadonlySet<string>,
  found: Map<string, Place>,
): Promise<void> {
  if (paths.length === 0) return;
  const head = await layOutRevision('HEAD', top);
  try {
    const texts = await head.read(() =>
      Promise.all(paths.map(async (path) => [path, await textAt(head.at(join(top, path)) ?? '')] as const)),
    );
    for (const [path, text = ''] of texts) findIn(text, `HEAD:${path}`, domains, found);
  } finally {
    await head.dispose();
  }
}

/** `undefined` where no file is there; a link is what it leads to, which is read by itself. Throws what reading throws. */
async function textAt(path: string): Promise<string | undefined> {
  const status = await lstat(path).catch(() => undefined);
  return status?.isFile() ? (await readRegularFile(path)).toString() : undefined;
}

/** Whole names, and patterns, which are longer ones; with a colon, an address. */
const NAME = /[\p{L}\p{M}\p{N}._*\-\u3002\uff0e\uff61]+/gu;
const ADDRESS = /[\da-f:.]*:[\da-f:.]+/gi;

function findIn(text: string, file: string, domains: ReadonlySet<string>, found: Map<string, Place>): void {
  for (const [index, line] of text.split('\n').entries()) {
    for (const names of [NAME, ADDRESS]) {
      for (const { 0: name, index: at } of unescaped(line).matchAll(names)) {
        const domain = domainKey(name.replace(/^[.-]+|[.-]+$/g, ''));
        if (!domains.has(domain) || found.has(domain)) continue;
        found.set(domain, { file, line: index + 1, column: at + 1 });
      }
    }
  }
}

/** With what JSON and YAML write by its number. */
function unescaped(line: string): string {
  if (!line.includes('\\u')) return line;
  return line.replaceAll(/\\u([\da-f]{4})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}
