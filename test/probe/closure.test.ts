/** The code of probes is loaded by those alone who probe: nobody else's start pays for it. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const SRC = resolve(import.meta.dirname, '../../src');

/** The files that are loaded with `entry`, as far as they are ours. */
function loadedWith(entry: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(entry) || !existsSync(entry)) return found;
  found.add(entry);
  const imports = readFileSync(entry, 'utf8').matchAll(
    /^(?:import|export)(?! type\b)[^;]*?from '(\.[^']+\.ts)'|^import '(\.[^']+)'/gm,
  );
  for (const [, from, alone] of imports) loadedWith(join(dirname(entry), from ?? alone ?? ''), found);
  return found;
}

const probeFilesOf = (entry: string): string[] =>
  [...loadedWith(join(SRC, entry))]
    .map((file) => relative(SRC, file))
    .filter((file) => file.startsWith('probe/'));

test.each([
  'cli/start.ts',
  'cli/commands/plan.ts',
  'cli/commands/import.ts',
  'cli/commands/probe.ts',
  'library/index.ts',
])('%s does not load it', (entry) => {
  expect(loadedWith(join(SRC, entry)).size).toBeGreaterThan(10);
  expect(probeFilesOf(entry)).toEqual([]);
});

test('what probes does', () => {
  expect(probeFilesOf('cli/commands/probing.ts')).toContain('probe/node/hop.ts');
});
