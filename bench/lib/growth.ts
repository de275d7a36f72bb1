import { measure } from './contest.ts';
import type { Cost } from './process.ts';
import { type FileKind, filesIn, listers, planner, type Workshop } from './works.ts';

/** The floor is the faster of two clients. */
export interface GrowthPoint {
  readonly count: number;
  readonly floor: Cost;
  readonly plans: Readonly<Record<FileKind, Cost>>;
}

export const KINDS: readonly FileKind[] = ['yaml', 'csv', 'ndjson'];
const SIZES = [100, 1000, 10_000, 100_000, 1_000_000];

export async function measureGrowth(
  shop: Workshop,
  runs: number,
  tell: (text: string) => void,
): Promise<readonly GrowthPoint[]> {
  const points: GrowthPoint[] = [];
  for (const size of SIZES.filter((one) => one * shop.divisor <= 1_000_000)) {
    tell(`${size} records`);
    points.push(await measureSize(shop, size, runs));
  }
  return points;
}

async function measureSize(shop: Workshop, count: number, runs: number): Promise<GrowthPoint> {
  const content = { count, baseUrl: shop.service.url };
  const folders = await Promise.all(
    KINDS.map((kind) => filesIn(shop, `growth-${count}-${kind}`, kind, content)),
  );
  const plans = folders.map((cwd) => planner(shop, cwd, count));
  const floors = listers(shop, folders[0] ?? '', count);
  const costs = await measure([...plans, ...floors], runs);
  const [floor] = floors.map((one) => costs.get(one) as Cost).sort((a, b) => a.seconds - b.seconds) as [
    Cost,
    ...Cost[],
  ];
  const byKind = KINDS.map((kind, index) => [kind, costs.get(plans[index] as (typeof plans)[number])]);
  return { count, floor, plans: Object.fromEntries(byKind) as GrowthPoint['plans'] };
}
