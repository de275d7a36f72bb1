/**
 * Measures time and memory of the built binary as multiples of floors that run in turn with it. `npm run bench` takes
 * most of an hour; `-- --only plan-100k --runs 7` measures some parts (repeatable), `--quick` a tenth of the sizes
 * once; `--write` writes the results into bench/performance.md.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { contest, type Row } from './lib/contest.ts';
import { type GrowthPoint, measureGrowth } from './lib/growth.ts';
import { type Layer, measureLayers } from './lib/layers.ts';
import { bundlePrograms } from './lib/programs.ts';
import { goalsText, growthText, layersText } from './lib/report.ts';
import { keepResults } from './lib/results.ts';
import { startService } from './lib/service.ts';
import { PARTS, type Workshop } from './lib/works.ts';

const GROWTH = 'growth';
const LAYERS = 'layers';
const NAMES = [...PARTS.map(({ name }) => name), LAYERS, GROWTH];

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: NAMES },
    runs: { type: 'string', default: '5' },
    parallelism: { type: 'string', default: '16' },
    quick: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
});
const unknown = values.only.find((name) => !NAMES.includes(name));
if (unknown !== undefined) throw new Error(`There is no part ${unknown}; there are ${NAMES.join(', ')}.`);
if (values.quick && values.write) throw new Error('What --quick measures is not worth writing down.');
const runs = values.quick ? 1 : Number(values.runs);

const folder = await mkdtemp(join(tmpdir(), 'websites-bench-'));
const programs = await bundlePrograms(folder);
const service = await startService(programs.pathOf('service'));
try {
  const parallelism = Number(values.parallelism);
  const shop: Workshop = { folder, service, programs, parallelism, divisor: values.quick ? 10 : 1 };
  const rows: Row[] = [];
  for (const part of PARTS.filter(({ name }) => values.only.includes(name))) {
    console.error(`${part.name} …`);
    const measured = await contest(await part.prepare(shop), runs);
    rows.push(...measured);
    if (values.write) await keepResults({ rows: measured });
  }
  let layers: readonly Layer[] = [];
  if (values.only.includes(LAYERS)) {
    console.error(`${LAYERS} …`);
    layers = await measureLayers(shop, runs);
    if (values.write) await keepResults({ layers });
  }
  let growth: readonly GrowthPoint[] = [];
  if (values.only.includes(GROWTH)) {
    growth = await measureGrowth(shop, runs, (text) => console.error(`${GROWTH}, ${text} …`));
    if (values.write) await keepResults({ growth });
  }
  if (rows.length > 0) console.log(goalsText(rows));
  if (layers.length > 0) console.log(layersText(layers));
  if (growth.length > 0) console.log(growthText(growth));
  console.log(`Medians of ${runs} interleaved runs, ${parallelism} requests at once; load ${loadavg()[0]}.`);
} finally {
  await service.stop();
  await rm(folder, { recursive: true });
}
