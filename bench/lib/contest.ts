/** Runs contenders in turn, so that load on the machine affects all alike. */
import { loadavg } from 'node:os';
import { type Cost, medianCost, run } from './process.ts';
import type { Contender, Work } from './works.ts';

export interface Row {
  readonly title: string;
  readonly goal: number;
  readonly goalMb?: number;
  readonly requests?: string;
  readonly runs: number;
  readonly ours: Cost;
  readonly floor: Cost & { readonly name: string };
  /** The machine's average load over the last minute, at the end. */
  readonly load: number;
}

/** Returns medians over `runs` rounds, after one warm-up of ours. */
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

/** Measures the works of a part together: a shared contender runs once per round. */
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
