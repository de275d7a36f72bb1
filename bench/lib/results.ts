/** Writes bench/results.json, bench/performance.md and its plot. */
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { join } from 'node:path';
import type { Row } from './contest.ts';
import type { GrowthPoint } from './growth.ts';
import type { Layer } from './layers.ts';
import { plotGrowth } from './plot.ts';
import { goalsText, growthText, layersText } from './report.ts';

interface Results {
  readonly rows: readonly Row[];
  readonly growth: readonly GrowthPoint[];
  readonly layers: readonly Layer[];
}

const ROOT = join(import.meta.dirname, '../..');
const KEPT = join(ROOT, 'bench/results.json');
const PAGE = join(ROOT, 'bench/performance.md');
const PLOT = join(ROOT, 'bench/performance.svg');

const NONE: Results = { rows: [], growth: [], layers: [] };

/** Replaces results of the same work, and keeps the others. */
export async function keepResults({ rows = [], growth = [], layers = [] }: Partial<Results>): Promise<void> {
  const kept = await readFile(KEPT, 'utf8').catch(() => '{}');
  const former: Results = { ...NONE, ...(JSON.parse(kept) as Partial<Results>) };
  const fresh = new Map(rows.map((row) => [row.title, row]));
  const known = new Set(former.rows.map(({ title }) => title));
  const results: Results = {
    rows: [
      ...former.rows.map((row) => fresh.get(row.title) ?? row),
      ...rows.filter(({ title }) => !known.has(title)),
    ],
    growth: growth.length > 0 ? growth : former.growth,
    layers: layers.length > 0 ? layers : former.layers,
  };
  await writeFile(KEPT, `${JSON.stringify(results, null, 2)}\n`);
  if (results.growth.length > 0) await writeFile(PLOT, plotGrowth(results.growth));
  await fillPage('goals', goalsSection(results));
  await fillPage('growth', growthText(results.growth));
  if (results.layers.length > 0) await fillPage('layers', layersText(results.layers));
}

/** Replaces a section of bench/performance.md, between its marks. */
export async function fillPage(section: string, text: string): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  const [start, end] = [`<!-- bench:${section} -->\n`, `<!-- /bench:${section} -->`];
  const [from, to] = [page.indexOf(start) + start.length, page.indexOf(end)];
  if (from < start.length || to < from) throw new Error(`bench/performance.md has no section ${section}.`);
  await writeFile(PAGE, `${page.slice(0, from)}\n${text}\n${page.slice(to)}`);
}

function goalsSection({ rows }: Results): string {
  const machine = `Node ${process.versions.node}, ${availableParallelism()} cores (${cpus()[0]?.model.trim()})`;
  return `${goalsText(rows)}\nMeasured on ${machine}; the load is the average of the minute, the bench itself included.\n`;
}
