/**
 * Two applies of files that declare a few settings, on a random service. It keeps what an update omits, or resets
 * some or all of it, and shows more or less of its records. A colleague may edit records between any two requests,
 * and the first apply may be killed at any request; then it runs again.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Result } from '../../../src/model/run.ts';
import { runBuilt } from '../built.ts';
import { type Ended, startCli } from '../cli.ts';
import {
  type Dialect,
  type FaultPlan,
  type ScriptedService,
  type StoredRecord,
  startScriptedService,
} from '../scripted-service.ts';
import { createWatch, type Watch } from './update-invariants.ts';
import { type Attempt, domainAt, type UpdateScenario, VALUES } from './update-scenario.ts';

/** Counts, and each breach of an invariant in words. */
export interface UpdateWalk {
  readonly puts: number;
  readonly edits: number;
  readonly kills: number;
  readonly restored: number;
  readonly side_effects: number;
  readonly changed_meanwhile: number;
  readonly refused: number;
  /** Numbers of edits lost, and of sites opened, between a read and the next write. */
  readonly lost_in_race: number;
  readonly opened_in_race: number;
  readonly breaches: readonly string[];
  /** The writes of the walk, with the effect of each on its record. */
  readonly writes: readonly string[];
}

/** Creates `folder` and removes it. */
export async function takeUpdateWalk(scenario: UpdateScenario, folder: string): Promise<UpdateWalk> {
  await mkdir(folder);
  const records = scenario.sites.map(({ stored }, index) => ({
    domain: domainAt(index),
    ...stored,
    // A website with privacy 2 has a password.
    ...(stored.privacy === 2 ? { password: 'old' } : {}),
  }));
  const service = await startScriptedService({ dialect: scenario.dialect as Partial<Dialect>, records });
  const watch = createWatch(service, scenario);
  try {
    const { faults, stop } = disturbances(service, scenario, watch);
    service.faults = faults;
    const first = await applyOnce(service, folder, scenario, 'first', stop);
    const isKilled = first.result === undefined && scenario.kill !== undefined;
    if (!isKilled) {
      watch.check('first', first);
      watch.begin();
    }
    const which = isKilled ? 'first' : 'second';
    const second = await applyOnce(service, folder, scenario, which);
    watch.check(which, second, isKilled);
    const results = [first, second].flatMap(({ result }) => result ?? []);
    const count = (name: 'restored' | 'side_effects' | 'changed_meanwhile'): number =>
      results.reduce((sum, result) => sum + (result[name]?.length ?? 0), 0);
    return {
      ...watch.sum(),
      puts: service.history.length,
      writes: writesOf(service),
      kills: Number(isKilled),
      restored: count('restored'),
      side_effects: count('side_effects'),
      changed_meanwhile: count('changed_meanwhile'),
      refused: results.reduce((sum, { summary }) => sum + summary.failed + summary.not_attempted, 0),
    };
  } finally {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function writesOf({ requests, history }: ScriptedService): readonly string[] {
  const made = requests.filter(({ method }) => method === 'PUT');
  return made.map(({ number, path, body }, index) => {
    const { domain: _, id, ...after } = history[index]?.after ?? { domain: '', id: 0 };
    return `${number} PUT ${path} ${body} -> #${id} ${JSON.stringify(after)}`;
  });
}

async function applyOnce(
  service: ScriptedService,
  folder: string,
  { sites, pin, parallelism }: UpdateScenario,
  which: 'first' | 'second',
  stop?: Stop,
): Promise<Attempt> {
  const websites = sites.map((site, index) => ({ domain: domainAt(index), ...declared(site[which]) }));
  const pins = { www: 'distinct', ...(pin === undefined ? {} : { update: pin }) };
  await writeFile(join(folder, 'websites.yaml'), JSON.stringify({ service: pins, websites }));
  const args = ['apply', '--auto-approve', '--format', 'json', '--allow-updates', '99'];
  const options = {
    cwd: folder,
    env: { ...service.env, PASSWORD: 'declared', WEBSITES_REQUEST_TIMEOUT: '300ms' },
  };
  const all = [...args, '--parallelism', String(parallelism)];
  const ended = await (stop?.isArmed ? killed(all, options, stop) : runBuilt(all, options));
  const isResult = ended.stdout.trimEnd().endsWith('}');
  return { ...ended, result: isResult ? (JSON.parse(ended.stdout) as Result) : undefined };
}

function killed(
  args: readonly string[],
  options: Parameters<typeof startCli>[1],
  stop: Stop,
): Promise<Ended> {
  const { child, ended } = startCli(args, options);
  stop.kill = () => child.kill('SIGKILL');
  return ended;
}

export function declared({ exclude_params, exclude_ips, password, ...rest }: Partial<StoredRecord>): object {
  const list = (text: string | null): string[] => (text === null ? [] : [text]);
  return {
    ...rest,
    ...(exclude_params === undefined ? {} : { exclude_params: list(exclude_params) }),
    ...(exclude_ips === undefined ? {} : { exclude_ips: list(exclude_ips) }),
    ...(password === undefined ? {} : { password: { env: 'PASSWORD' } }),
  };
}

interface Stop {
  readonly isArmed: boolean;
  kill(): void;
}

/** Makes edits, and the kill, as requests arrive. */
function disturbances(
  service: ScriptedService,
  { edits, kill }: UpdateScenario,
  watch: Watch,
): { readonly faults: FaultPlan; readonly stop: Stop } {
  let arrived = -1;
  const stop: Stop = { isArmed: kill !== undefined, kill: () => undefined };
  const make = ({ record, field, pick }: UpdateScenario['edits'][number]): void => {
    const target = service.records()[record % service.records().length];
    const value = fc.sample(VALUES[field] as fc.Arbitrary<number | string | null>, {
      numRuns: 1,
      seed: pick,
    })[0];
    if (target !== undefined) watch.edit(target, field, value ?? null);
  };
  const faults: FaultPlan = (request) => {
    arrived += 1;
    for (const edit of edits) if (edit.at === arrived) make(edit);
    const isLast = arrived === kill?.at;
    if (isLast) stop.kill();
    if (isLast && !kill?.isCarriedOut) return { kind: 'reset', when: 'before' };
    watch.arrives(request);
    return undefined;
  };
  return { faults, stop };
}
