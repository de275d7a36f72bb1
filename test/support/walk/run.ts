/**
 * One run of a walk: real files, the real client and the apply engine over a scripted service, killed or interrupted
 * as the scenario says. Time runs a hundred times faster, except on the wire.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { LookupFunction } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Client, type ClientOptions, createClient } from '../../../src/client/client.ts';
import type { Limiter } from '../../../src/client/pace.ts';
import { createLimiter } from '../../../src/client/pace.ts';
import { type Config, loadConfig } from '../../../src/config/load.ts';
import { WebsitesError } from '../../../src/model/errors.ts';
import { NO_NEXT_FLAGS } from '../../../src/model/next-command.ts';
import type { Plan, PlanOptions } from '../../../src/model/plan.ts';
import { factText } from '../../../src/report/facts.ts';
import { applyPlan } from '../../../src/run/apply.ts';
import { listRuns, readRun, sentIndexes } from '../../../src/run/file/read.ts';
import type { Applied } from '../../../src/run/result.ts';
import type { Connection } from '../../../src/sync/connect.ts';
import { createFingerprint, createSeals } from '../../../src/sync/keys.ts';
import { makePlan } from '../../../src/sync/plan.ts';
import type { Session } from '../../../src/sync/session.ts';
import { runsFolder } from '../../../src/sync/state.ts';
import { planUndo } from '../../../src/sync/undo.ts';
import type { Clock } from '../../../src/util/clock.ts';
import { NO_FLAGS } from '../plans.ts';
import {
  lookup,
  type ScriptedService,
  type StoredRecord,
  startScriptedService,
} from '../scripted-service.ts';
import { fileOf, type Kill, REQUEST_TIMEOUT, recordsOf, type Scenario, SECRET } from './scenario.ts';

const SPEED = 100;
/** The longest time that the engine expects a request to be in flight, with room for a busy machine. */
const AT_WORK = 2.5 * REQUEST_TIMEOUT;
const TIMEOUT = 120_000;
const ALLOW = { empty: true, deletes: 1000, updates: 1000 };

/** Shared by all runs of a walk. */
export interface Place {
  readonly scenario: Scenario;
  readonly service: ScriptedService;
  readonly config: Config;
  readonly clock: Clock;
  /** The time to wait for an answer, if it is not as short as for faults that never answer. */
  readonly requestTimeoutMs?: number;
}

/** Runs `work` with the files and records of the scenario; `folder` is removed after it. */
export async function inPlace<T>(
  scenario: Scenario,
  folder: string,
  work: (place: Place) => Promise<T>,
): Promise<T> {
  const service = await startScriptedService({
    dialect: { ...scenario.dialect, redirect: redirectOf(scenario) },
    records: recordsOf(scenario),
  });
  try {
    await mkdir(folder);
    await writeFile(join(folder, 'websites.yaml'), fileOf(scenario));
    const config = await loadConfig({
      patterns: [],
      cwd: folder,
      env: { PASSWORD: SECRET },
      stdin: Readable.from([]),
    });
    return await work({ scenario, service, config, clock: fastClock() });
  } finally {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Waits until no request is in flight and every write is visible. */
export const settle = (): Promise<void> => sleep(REQUEST_TIMEOUT + 20);

export const snapshot = (service: ScriptedService): readonly StoredRecord[] =>
  service.records().map((record) => ({ ...record }));

class Killed extends Error {}

export interface Run {
  /** Plans and applies, or applies the plan of the last run again if it was not finished. */
  go(how: Kill['next']): Promise<Applied>;
  undo(run: string | undefined): Promise<Applied>;
  makePlan(): Promise<Plan>;
  applySaved(plan: Plan): Promise<Applied>;
  /** The plan that was, or would have been, applied. */
  readonly plan: Plan | undefined;
  isKilled(): boolean;
  isResumed(): boolean;
  close(): void;
}

interface Ending {
  readonly kill?: Kill | undefined;
  readonly interruptAt?: number | undefined;
}

export function startRun(place: Place, ending: Ending): Run {
  const { scenario, config } = place;
  const interrupt = new AbortController();
  const connection = connectionOf(place, ending, interrupt);
  const runs = runsFolder(config.root);
  const rules: PlanOptions = {
    ...NO_FLAGS,
    ...scenario.options,
    www: scenario.dialect.www === 'strip' ? 'same' : 'distinct',
    allow: ALLOW,
  };
  const lock = { assertHeld: async () => undefined, release: async () => undefined };
  let carriedOut: Plan | undefined;
  let isResumed = false;

  const planHere = (): Promise<Plan> => makePlan({ config, rules }, connection);

  function carry(plan: Plan, sentBefore?: Session['sentBefore']): Promise<Applied> {
    carriedOut = plan;
    const { resolveSecret } = config;
    const session = { ...connection, plan, resolveSecret, lock, ...(sentBefore && { sentBefore }) };
    const settings = { emit: () => undefined, signal: interrupt.signal };
    return applyPlan({ ...session, ...settings, canary: scenario.canary });
  }

  async function applyAgain(): Promise<Applied | undefined> {
    const last = (await listRuns(runs)).at(-1);
    if (last === undefined || last.closed?.finished) return undefined;
    const recorded = await readRun(runs, last.run, connection);
    isResumed = true;
    const applied = await carry(recorded.plan, new Set(sentIndexes(recorded)));
    const stale = applied.result.not_attempted.filter((change) => change.stale);
    // A list that mixes up IDs shows other websites under them.
    if (place.service.dialect.listedAs === undefined) expect(stale).toEqual([]);
    return applied;
  }

  async function planInverse(run: string | undefined): Promise<Plan> {
    return (await planUndo({ config, run, domain: [], allow: ALLOW }, connection)).plan;
  }

  return {
    go: async (how) => (how === 'resume' && (await applyAgain())) || carry(await planHere()),
    undo: async (run) => carry(await planInverse(run)),
    makePlan: planHere,
    applySaved: (plan) => carry(plan, new Set()),
    get plan() {
      return carriedOut;
    },
    isKilled: connection.isDead,
    isResumed: () => isResumed,
    close: () => connection.service.close(),
  };
}

/** The result of a run; `undefined` if it was killed, or ended in an error for the user. */
export async function outcomeOf<T>(run: Run, go: () => Promise<T>): Promise<T | undefined> {
  try {
    return await go();
  } catch (error) {
    if (error instanceof WebsitesError || error instanceof Killed) return undefined;
    throw error;
  } finally {
    run.close();
  }
}

function connectionOf(
  { scenario, config, service, clock, requestTimeoutMs = REQUEST_TIMEOUT }: Place,
  ending: Ending,
  interrupt: AbortController,
): Connection & { isDead(): boolean } {
  const limiter = createLimiter(scenario.parallelism, clock);
  const { isDead, ...mortal } = mortalLimiter(limiter, ending, interrupt);
  const baseUrl = `http://service.test:${service.port}`;
  return {
    clock,
    parallelism: scenario.parallelism,
    timeoutMs: TIMEOUT,
    requestTimeoutMs: AT_WORK * SPEED,
    service: clientOf(
      scenario,
      { baseUrl, key: service.key, requestTimeoutMs, connectTimeoutMs: requestTimeoutMs },
      clock,
      mortal,
      interrupt.signal,
    ),
    identity: { base_url: baseUrl, key_fingerprint: 'sha256:c0ffee' },
    runsFolder: runsFolder(config.root),
    random: () => 0.1,
    fingerprint: createFingerprint(service.key),
    seals: createSeals(service.key, baseUrl),
    madeBy: {},
    nextFlags: NO_NEXT_FLAGS,
    factText,
    limiter: limiter.state,
    interrupt: () => undefined,
    close: async () => undefined,
    isDead,
  };
}
/** Passes requests until the run is killed: then nothing is sent, and no answer comes back. */
function mortalLimiter(limiter: Limiter, { kill, interruptAt }: Ending, interrupt: AbortController) {
  let count = 0;
  let isDead = false;
  const live = (): void => {
    if (isDead) throw new Killed();
  };
  function begin(): void {
    live();
    count += 1;
    if (count - 1 === interruptAt) interrupt.abort(new Error('interrupted'));
    if (count - 1 !== kill?.at) return;
    isDead = true;
    if (!kill.isSent) live();
  }
  const mortal: Limiter = {
    async enter(signal) {
      const ticket = await limiter.enter(signal);
      try {
        begin();
      } catch (error) {
        limiter.leave(ticket);
        throw error;
      }
      return ticket;
    },
    leave(ticket, pace) {
      limiter.leave(ticket, isDead ? undefined : pace);
      live();
    },
  };
  return { ...mortal, isDead: () => isDead };
}

function clientOf(
  scenario: Scenario,
  given: Pick<ClientOptions, 'baseUrl' | 'key' | 'requestTimeoutMs' | 'connectTimeoutMs'>,
  clock: Clock,
  limiter: Limiter,
  signal: AbortSignal,
): Client {
  let lost = scenario.lookupsLost;
  const failing: LookupFunction = (host, options, done) => {
    if (lost === 0) return lookup(host, options, done as Parameters<typeof lookup>[2]);
    lost -= 1;
    done(Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }), '');
  };
  return createClient({
    ...given,
    version: '1.2.3',
    parallelism: scenario.parallelism,
    limiter,
    clock,
    random: () => 0.1,
    environment: {},
    maxWaitMs: 900_000,
    timeoutMs: TIMEOUT,
    signal,
    connect: { lookup: failing },
    ...(scenario.dialect.favorite === undefined ? {} : { favorite: scenario.dialect.favorite }),
  });
}

/** Shortens pauses like hours. */
function fastClock(): Clock {
  const start = Date.now();
  const startMs = performance.now();
  const monotonic = (): number => (performance.now() - startMs) * SPEED;
  return {
    now: () => start + monotonic(),
    monotonic,
    sleep: (milliseconds, signal) =>
      sleep(milliseconds / SPEED, undefined, signal === undefined ? {} : { signal }).catch(() => undefined),
  };
}

function redirectOf({ redirect: status }: Scenario): ScriptedService['dialect']['redirect'] {
  if (status === undefined) return undefined;
  return ({ host, target }) =>
    host.startsWith('www.') ? undefined : { status, location: `http://www.${host}${target}` };
}

/** Brings the faults of the scenario in the order of requests, in any round. */
export function bringFaults(
  { faults, outage }: Pick<Scenario, 'faults' | 'outage'>,
  service: ScriptedService,
): void {
  let arrived = 0;
  service.faults = () => {
    const number = arrived;
    arrived += 1;
    if (number === outage?.at) {
      void service
        .shut()
        .then(() => sleep(outage.ms))
        .then(() => service.reopen());
    }
    return faults[number];
  };
}
