import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OUTCOMES } from '../../src/reconcile/events.ts';
import { createMetrics } from '../../src/reconcile/metrics.ts';
import { FOLDER, MANIFESTS, ROOT } from './manifests.ts';

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const rowsOf = (page: string): string[] => page.split('\n').filter((line) => line.startsWith('| `'));

test('docs/reconcile.md has every metric with its kind, and every outcome', async () => {
  const text = await createMetrics({ version: '1.2.3', now: Date.now }).text();
  const kinds = [...text.matchAll(/^# TYPE (websites_\w+) (\w+)$/gm)].map(([, name, kind]) => [name, kind]);
  const rows = rowsOf(read('docs/reconcile.md')).map((row) =>
    row.split(' | ').map((cell) => cell.replace(/^\| /, '')),
  );
  const told = rows.flatMap(([name = '', kind]) =>
    name.startsWith('`websites_') ? [[name.slice(1, -1), kind]] : [],
  );
  expect(told.toSorted()).toEqual(kinds.toSorted());
  for (const outcome of OUTCOMES) expect(rows.map(([name]) => name)).toContain(`\`${outcome}\``);
});

test('docs/kubernetes.md names every file of the example', () => {
  const page = read('docs/kubernetes.md');
  for (const file of MANIFESTS) expect(rowsOf(page).join('\n')).toContain(`| \`${file}\` |`);
  expect(page).toContain(FOLDER.slice(ROOT.length + 1));
});
