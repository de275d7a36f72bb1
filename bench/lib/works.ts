/** The works with a goal: our binary against its floors. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inBatches } from '../../src/cli/io/output.ts';
import type { Tally } from '../programs/service.ts';
import {
  agencyCsv,
  agencyYaml,
  type BenchRecord,
  csvFile,
  type FileContent,
  ndjsonFile,
  PASSWORDS,
  passwordVariable,
  yamlFile,
  yamlOver,
} from './data.ts';
import type { Program } from './process.ts';
import type { Programs } from './programs.ts';
import type { BenchService } from './service.ts';

export interface Workshop {
  readonly folder: string;
  readonly service: BenchService;
  readonly programs: Programs;
  /** Requests in flight at once, of ours and of the floors. */
  readonly parallelism: number;
  readonly divisor: number;
}

export interface Contender extends Program {
  readonly name: string;
  readonly before?: () => Promise<unknown>;
  /** Runs after each run; throws if it did not do what it should. */
  readonly after?: () => Promise<unknown>;
}

export interface Work {
  readonly title: string;
  readonly ours: Contender;
  /** The fastest is the floor. */
  readonly floors: readonly Contender[];
  /** Limits for time, as a multiple of the floor, and for memory. */
  readonly goal: number;
  readonly goalMb?: number;
  readonly requests?: string;
}

export interface Part {
  readonly name: string;
  prepare(shop: Workshop): Promise<readonly Work[]>;
}

const PAGE = 100;
const pagesOf = (count: number): number => Math.max(1, Math.ceil(count / PAGE));
const counted = (count: number): string => count.toLocaleString('en');

export const PARTS: readonly Part[] = [
  { name: 'version', prepare: versionWorks },
  { name: 'plan-100', prepare: (shop) => planWorks({ ...shop, divisor: 1 }, 100, 'yaml', 1.5, 100) },
  { name: 'plan-5k', prepare: (shop) => planWorks(shop, 5000, 'yaml', 2, 120) },
  { name: 'plan-100k', prepare: (shop) => planWorks(shop, 100_000, 'yaml', 2, 200, ['', 'shuffled']) },
  { name: 'plan-groups', prepare: (shop) => planWorks(shop, 100_000, 'agency', 2, 200) },
  { name: 'plan-1m-csv', prepare: (shop) => planWorks(shop, 1_000_000, 'csv', 2, 700, ['', 'shuffled']) },
  { name: 'plan-1m-ndjson', prepare: (shop) => planWorks(shop, 1_000_000, 'ndjson', 2, 700) },
  { name: 'formats', prepare: formatWorks },
  { name: 'apply-0ms', prepare: (shop) => applyWorks(shop, 0) },
  { name: 'apply-20ms', prepare: (shop) => applyWorks(shop, 20) },
];

async function versionWorks(shop: Workshop): Promise<readonly Work[]> {
  const cwd = await folderIn(shop, 'version');
  const ours = { name: 'version', argv: [shop.programs.binary, 'version'], cwd };
  return [{ title: '`version`', ours, floors: [bareNode(cwd)], goal: 1.5 }];
}

function bareNode(cwd: string): Contender {
  return { name: 'node -e 0', argv: ['-e', '0'], cwd };
}

/** Empty for the order of the service. */
type Order = '' | 'shuffled';

async function planWorks(
  shop: Workshop,
  size: number,
  kind: FileKind,
  goal: number,
  goalMb: number,
  orders: readonly Order[] = [''],
): Promise<readonly Work[]> {
  const count = size / shop.divisor;
  const floors = listers(shop, shop.folder, count);
  const works: Work[] = [];
  for (const order of orders) {
    const content = { count, baseUrl: shop.service.url, shuffled: order === 'shuffled' };
    const cwd = await filesIn(shop, `plan-${kind}-${order}`, kind, content);
    works.push({
      title: `\`plan\`, ${counted(count)} records from ${SOURCES[kind]}, ${order && `${order}, `}no change`,
      ours: planner(shop, cwd, count),
      floors,
      goal,
      goalMb,
      requests: '⌈N/100⌉',
    });
  }
  return works;
}

export function planner(
  shop: Workshop,
  cwd: string,
  count: number,
  flags: readonly string[] = [],
): Contender {
  return {
    name: 'plan',
    argv: [shop.programs.binary, 'plan', '--parallelism', String(shop.parallelism), ...flags],
    cwd,
    env: environment(shop),
    before: () => shop.service.hold({ count, latencyMs: 0 }),
    after: () => expectRequests(shop, pagesOf(count), 0),
  };
}

export function listers(shop: Workshop, cwd: string, count: number): readonly Contender[] {
  return (['list-undici'] as const).map((name) => ({
    name,
    argv: [shop.programs.pathOf(name), String(shop.service.port), String(shop.parallelism)],
    cwd,
    before: () => shop.service.hold({ count, latencyMs: 0 }),
    after: () => expectRequests(shop, pagesOf(count), 0),
  }));
}

const FORMATS = ['human', 'json', 'markdown', 'html', 'gitlab'] as const;

/** Compares each format of a plan that changes every record with that of an empty plan. */
async function formatWorks(shop: Workshop): Promise<readonly Work[]> {
  const count = 50_000 / shop.divisor;
  const cwd = await filesIn(shop, 'formats', 'yaml', {
    count,
    baseUrl: shop.service.url,
    change: withOtherMail,
  });
  const alone: Contender = {
    ...planner(shop, cwd, count),
    name: 'plan alone',
    argv: [shop.programs.pathOf('plan-alone'), String(shop.parallelism)],
  };
  const flags = ['--allow-updates', String(count)];
  const shown = FORMATS.map((format) => [`as ${format}`, '--format', format] as const);
  return [...shown, ['saved with `--out`', '--out', 'plan.json'] as const].map(([title, ...more]) => ({
    title: `\`plan\`, ${counted(count)} changes, ${title}`,
    ours: planner(shop, cwd, count, [...flags, ...more]),
    floors: [alone],
    goal: 1.3,
    requests: '⌈N/100⌉',
  }));
}

const withOtherMail = (record: BenchRecord): BenchRecord => ({ ...record, email: !record.email });

export function createsWork(shop: Workshop, latencyMs: number): Promise<Work> {
  const count = APPLIED / shop.divisor;
  return applyWork(shop, latencyMs, { name: 'creates', changes: count, before: 0, after: count, flags: [] });
}

const APPLIED = 10_000;

async function applyWorks(shop: Workshop, latencyMs: number): Promise<readonly Work[]> {
  const count = APPLIED / shop.divisor;
  const runs: readonly ApplyRun[] = [
    {
      name: 'updates',
      changes: count,
      before: count,
      after: count,
      flags: ['--allow-updates', String(count)],
      change: withOtherMail,
      isRead: true,
    },
    {
      name: 'updates pinned to `changed`',
      changes: count,
      before: count,
      after: count,
      flags: ['--allow-updates', String(count)],
      change: withOtherMail,
      update: 'changed',
    },
    // One record stays: an empty file would be rejected.
    {
      name: 'deletes',
      changes: count,
      before: count + 1,
      after: 1,
      flags: ['--prune', '--allow-deletes', String(count)],
    },
  ];
  const works = [await createsWork(shop, latencyMs)];
  for (const one of runs) works.push(await applyWork(shop, latencyMs, one));
  return works;
}

interface ApplyRun {
  readonly name: string;
  readonly changes: number;
  readonly before: number;
  readonly after: number;
  readonly flags: readonly string[];
  readonly change?: FileContent['change'];
  readonly update?: FileContent['update'];
  /** Each record is read right before its write. */
  readonly isRead?: true;
}

async function applyWork(shop: Workshop, latencyMs: number, one: ApplyRun): Promise<Work> {
  const { service } = shop;
  const cwd = await filesIn(shop, `apply-${one.name.replace(/\W/g, '')}`, 'yaml', {
    count: one.after,
    baseUrl: service.url,
    ...(one.change && { change: one.change }),
    ...(one.update && { update: one.update }),
  });
  const writes = join(cwd, 'writes.json');
  const hold = (): Promise<void> => service.hold({ count: one.before, latencyMs });
  const ours: Contender = {
    name: 'apply',
    argv: [
      shop.programs.binary,
      'apply',
      '--auto-approve',
      '--parallelism',
      String(shop.parallelism),
      ...one.flags,
    ],
    cwd,
    env: environment(shop),
    async before() {
      await rm(join(cwd, '.websites'), { recursive: true, force: true });
      await hold();
    },
    async after() {
      const { writes: made } = await expectRequests(
        shop,
        pagesOf(one.before) + pagesOf(one.after),
        one.changes,
      );
      // The floors send the same requests.
      const sent = one.isRead
        ? made.flatMap((write) => [{ ...write, method: 'GET', body: '' }, write])
        : made;
      await writeFile(writes, JSON.stringify(sent));
    },
  };
  const floors = (['write-undici'] as const).map((name) => ({
    name,
    argv: [shop.programs.pathOf(name), String(service.port), String(shop.parallelism), writes],
    cwd,
    before: hold,
    after: () => expectRequests(shop, 0, one.changes),
  }));
  return {
    title: `\`apply\`, ${counted(one.changes)} ${one.name}, ${latencyMs} ms`,
    ours,
    floors,
    goal: latencyMs === 0 ? 2 : 1.1,
    requests: `${one.isRead ? 'two' : 'one'} a change and two listings`,
  };
}

async function expectRequests(shop: Workshop, lists: number, writes: number): Promise<Tally> {
  const tally = await shop.service.tally();
  if (tally.lists !== lists || tally.writes.length !== writes) {
    const made = `${tally.lists} pages and ${tally.writes.length} writes`;
    throw new Error(`Asked for ${made} in place of ${lists} and ${writes}.`);
  }
  return tally;
}

function environment({ service }: Workshop): Record<string, string> {
  const passwords = Array.from({ length: PASSWORDS }, (_, index) => [passwordVariable(index), `pw-${index}`]);
  return {
    WEBSITES_API_KEY: 'bench',
    WEBSITES_BASE_URL: service.url,
    ...(Object.fromEntries(passwords) as Record<string, string>),
  };
}

export type FileKind = 'yaml' | 'csv' | 'ndjson' | 'agency';

const SOURCES: Readonly<Record<FileKind, string>> = {
  yaml: 'YAML',
  csv: 'CSV',
  ndjson: 'NDJSON',
  agency: 'YAML and CSV in 400 groups',
};

export async function filesIn(
  shop: Workshop,
  name: string,
  kind: FileKind,
  content: FileContent,
): Promise<string> {
  const folder = await folderIn(shop, name);
  const yaml = join(folder, 'websites.yaml');
  if (kind === 'yaml') await writeFile(yaml, inBatches(yamlFile(content)));
  else if (kind === 'agency') {
    await writeFile(yaml, inBatches(agencyYaml('websites.csv', content)));
    await writeFile(join(folder, 'websites.csv'), inBatches(agencyCsv(content)));
  } else {
    await writeFile(yaml, yamlOver(`websites.${kind}`, content.baseUrl));
    const lines = (kind === 'csv' ? csvFile : ndjsonFile)(content);
    await writeFile(join(folder, `websites.${kind}`), inBatches(lines));
  }
  return folder;
}

async function folderIn(shop: Workshop, name: string): Promise<string> {
  const folder = join(shop.folder, name);
  await mkdir(folder, { recursive: true });
  return folder;
}
