/** Runs contenders in turn, so that what disturbs the machine meets them all alike. */
import { loadavg } from 'node:os';
import { type Cost, medianCost, run } from './process.ts';
import type { Contender, Work } from './works.ts';

/** What was measured of one work; costs are medians. */
export interface Row {
  readonly title: string;
  readonly goal: number;
  readonly goalMb?: number;
  readonly requests?: string;
  readonly runs: number;
  readonly ours: Cost;
  readonly floor: Cost & { readonly name: string };
  /** The load of the machine when it was over: its average over the last minute. */
  readonly load: number;
}

/** The medians of each contender, over `runs` rounds; before them, ours runs once for nothing. */
export async function measure(
  contenders: readonly Contender[],
  runs: number,
): Promise<ReadonlyMap<Contender, Cost>> {
  const costs = new Map(contenders.map((one) => [one, [] as Cost[]]));
  for (let round = 0; round <= runs; round += 1) {
    for (const [one, own] of costs) {
      await one.before?.();
      const cost = await run(one);
      await one.after?.();
      if (round > 0) own.push(cost);
    }
  }
  return new Map([...costs].map(([one, own]) => [one, medianCost(own)]));
}

/** Measures the works of one part together; contenders that several of them share run once a round. */
export async function contest(works: readonly Work[], runs: number): Promise<readonly Row[]> {
  const costs = await measure([...new Set(works.flatMap(({ ours, floors }) => [ours, ...floors]))], runs);
  const costOf = (one: Contender): Cost => costs.get(one) as Cost;
  return works.map(({ title, goal, goalMb, requests, ours, floors }): Row => {
    const [floor] = floors
      .map((one) => ({ name: one.name, ...costOf(one) }))
      .sort((a, b) => a.seconds - b.seconds);
    if (floor === undefined) throw new Error(`${title} has no floor.`);
    return {
      title,
      goal,
      ...(goalMb === undefined ? {} : { goalMb }),
      ...(requests === undefined ? {} : { requests }),
      runs,
      ours: costOf(ours),
      floor,
      load: loadavg()[0] ?? 0,
    };
  });
}
