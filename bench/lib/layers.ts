/** Splits the cost of an apply without latency: sends the same creates through one more layer each time. */
import { measure } from './contest.ts';
import type { Cost } from './process.ts';
import { type Contender, createsWork, type Workshop } from './works.ts';

export interface Layer {
  readonly title: string;
  readonly cost: Cost;
}

const LAYERS = {
  transport: 'our transport over it',
  client: '… with forms, limits, retries and the decoding of answers',
  run: '… with phases, breaker and tally',
  journal: '… with the journal',
};

/** Costs of the floor, of each layer, of the whole, and of the barest apply. */
export async function measureLayers(shop: Workshop, runs: number): Promise<readonly Layer[]> {
  const { ours, floors } = await createsWork(shop, 0);
  const { programs, service, parallelism } = shop;
  const floor = floors.find(({ name }) => name === 'write-undici') as Contender;
  const [, ...same] = floor.argv;
  const layers = Object.entries(LAYERS).map(([name, title]): [string, Contender] => [
    title,
    { ...floor, name, argv: [programs.pathOf('layers'), name, ...same] },
  ]);
  const titled = new Map<string, Contender>([
    ['undici, the floor', floor],
    ...layers,
    ['`apply`: file, list, plan, text and verification too', ours],
    [
      'the barest apply',
      {
        ...ours,
        name: 'barest',
        argv: [programs.pathOf('barest'), String(service.port), String(parallelism)],
      },
    ],
  ]);
  // Ours runs first: it writes what the others send.
  const costs = await measure([ours, ...titled.values()], runs);
  return [...titled].map(([title, one]) => ({ title, cost: costs.get(one) as Cost }));
}
