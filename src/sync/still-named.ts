/** Finds domains in tracked files, comments included: a removed website may have moved to a file that is not loaded. */
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { KNOWN_EXTENSIONS } from '../config/bulk/bulk.ts';
import { wayTo } from '../config/files/files.ts';
import { domainKey } from '../model/domain.ts';
import type { Place } from '../model/errors.ts';
import type { GitError } from '../util/node/git.ts';
import { fetchTogether, gitIn, topOf } from './revision.ts';

const FILES = ['.yaml', '.yml', ...KNOWN_EXTENSIONS.split(', ')].map((ending) => `:(icase)*${ending}`);

const GREP = ['grep', '--text', '-z', '-n', '--no-color', '--no-column', '--full-name', '-e', ''];

export async function stillNamed(
  domains: ReadonlySet<string>,
  cwd: string,
): Promise<ReadonlyMap<string, Place>> {
  const found = new Map<string, Place>();
  const [top, here] = [await topOf(cwd), await realpath(cwd)];
  const git = gitIn(cwd);
  await fetchTogether(FILES, top, git, 'HEAD');
  for (const revision of [[], ['HEAD']]) {
    const lines = await git(['-C', top, ...GREP, ...revision, '--', ...FILES]).catch((error: GitError) => {
      if (error.code === 1) return '';
      throw error;
    });
    for (const [, path = '', line, text = ''] of lines.matchAll(/([^\0]+)\0(\d+)\0(.*)\n?/g)) {
      const file = revision.length === 0 ? wayTo(join(top, path), here) : path;
      for (const [name, at] of namesIn(text)) {
        const domain = domainKey(name);
        if (!domains.has(domain) || found.has(domain)) continue;
        found.set(domain, { file, line: Number(line), column: at + 1 });
      }
    }
  }
  return found;
}

/** Whole names, and patterns, which are longer; with a colon, an address. */
const NAME = /[\p{L}\p{M}\p{N}._*\-\u3002\uff0e\uff61]+/gu;
const ADDRESS = /[\da-f:.]*:[\da-f:.]+/gi;

function namesIn(line: string): (readonly [name: string, at: number])[] {
  // Decodes escapes of JSON and YAML.
  const text = line.replaceAll(/\\u([\da-f]{4})/gi, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return [...text.matchAll(NAME), ...text.matchAll(ADDRESS)].map(({ 0: name, index }) => [
    name.replace(/^[.-]+|[.-]+$/g, ''),
    index,
  ]);
}
