/**
 * A walk: plan and apply with the real client over a service that acts a scenario out, killed and gone on with
 * as it says; then without faults. Time runs a hundred times faster than it is, save on the wire.
 */
import { rm } from 'node:fs/promises';
import type { LookupFunction } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Client, createClient } from '../../../src/api/client.ts';
import { readCurrent } from '../../../src/api/current.ts';
import { type Applied, type ApplyOptions, applyPlan } from '../../../src/apply/apply.ts';
import { readJournal } from '../../../src/apply/journal/recorded.ts';
import { lastUnfinished } from '../../../src/apply/journal/runs.ts';
import { createLimiter } from '../../../src/apply/limiter.ts';
import { resumeRun } from '../../../src/apply/resume.ts';
import type { Replan } from '../../../src/apply/verify.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { WebsitesError } from '../../../src/core/errors.ts';
import { READABLE_NAMES } from '../../../src/core/fields.ts';
import type { Limiter } from '../../../src/core/limiter.ts';
import { NOT_SAID } from '../../../src/core/next-command.ts';
import type { Plan, PlanOptions } from '../../../src/core/plan.ts';
import { Secret } from '../../../src/core/secret.ts';
import { type ActingRecord, type ActingService, lookup, startActingService } from '../acting-service.ts';
import { planFor } from '../plans.ts';
import { oneRecordEach, onlyWhatWasPlanned, restIsUntouched, resultIsTrue } from './laws.ts';
import { desiredOf, type Kill, REQUEST_TIMEOUT, recordsOf, type Scenario, SECRET } from './scenario.ts';

const SPEED = 100;
/** What the engine takes for the longest a request may be at work; with room for a busy machine. */
const AT_WORK = 2.5 * REQUEST_TIMEOUT;

/** What a walk came to. */
export interface Walked {
  readonly requests: number;
  readonly kills: number;
  readonly resumed: number;
  /** Rounds that ended in an error before anything was sent. */
  readonly refused: number;
  readonly changes: number;
}

export async function takeWalk(scenario: Scenario, runsFolder: string): Promise<Walked> {
  const service = await startActingService({
    dialect: { ...scenario.dialect, redirect: redirectOf(scenario) },
    records: recordsOf(scenario),
  });
  try {
    return await walk({ scenario, service, runsFolder, clock: fastClock() });
  } finally {
    await service.close();
    await rm(runsFolder, { recursive: true, force: true });
  }
}

/** What all runs of a walk share. */
interface Place {
  readonly scenario: Scenario;
  readonly service: ActingService;
  readonly runsFolder: string;
  readonly clock: Clock;
}

async function walk(place: Place): Promise<Walked> {
  const { scenario, service } = place;
  const tally = { requests: 0, kills: 0, resumed: 0, refused: 0, changes: 0 };
  let how: Kill['next'] = 'fresh';
  let planned = snapshot(service);
  bringFaults(scenario, service);
  for (const kill of [...scenario.kills, undefined]) {
    const interruptAt = tally.kills === 0 ? scenario.interruptAt : undefined;
    const run = startRun(place, { kill, interruptAt });
    const start = snapshot(service);
    const came = await takeRound(run, { how, next: kill?.next, start, planned }, place);
    if (!run.isResumed()) planned = start;
    tally.changes += run.plan?.changes.length ?? 0;
    tally.resumed += Number(run.isResumed());
    tally.refused += Number(came === 'refused');
    if (came !== 'killed') break;
    tally.kills += 1;
    how = kill?.next ?? 'fresh';
  }
  await converges(place);
  return { ...tally, requests: service.requests.length };
}

interface Round {
  readonly how: Kill['next'];
  /** What comes after it, if it is killed. */
  readonly next: Kill['next'] | undefined;
  /** The records when it begins, and when the plan was made that it may go on with. */
  readonly start: readonly ActingRecord[];
  readonly planned: readonly ActingRecord[];
}

/**
 * One run to its end, or to where it is killed; then the laws. `refused`: it ended in an error. A run that is
 * gone on with at once may find requests of the killed one still at work; a new one is for later.
 */
async function takeRound(
  run: Run,
  { how, next, start, planned }: Round,
  { scenario, service }: Place,
): Promise<'applied' | 'refused' | 'killed'> {
  const from = service.requests.length;
  const applied = await outcomeOf(run, how);
  if (!run.isKilled() || next !== 'resume') await settle();
  const after = snapshot(service);
  oneRecordEach(after);
  if (run.plan !== undefined) {
    const before = run.isResumed() ? planned : start;
    onlyWhatWasPlanned(run.plan, service.requests.slice(from), before);
    restIsUntouched(run.plan, before, after, scenario);
    if (!run.isResumed() && applied) resultIsTrue(run.plan, applied.result, before, after, scenario);
  }
  return run.isKilled() ? 'killed' : applied === undefined ? 'refused' : 'applied';
}

/** What a run came to; `undefined` where it was killed, or ended in an error that the user is shown. */
async function outcomeOf(run: Run, how: Kill['next']): Promise<Applied | undefined> {
  try {
    return await run.go(how);
  } catch (error) {
    if (error instanceof WebsitesError || error instanceof Killed) return undefined;
    throw error;
  } finally {
    run.close();
  }
}

/** Without faults, one more apply makes all so, and the plan after it is empty. */
async function converges(place: Place): Promise<void> {
  const { service } = place;
  const scenario = { ...place.scenario, lookupsLost: 0 };
  service.faults = undefined;
  await service.reopen().catch(() => undefined);
  await settle();
  const before = snapshot(service);
  const last = startRun({ ...place, scenario }, {});
  try {
    const { result } = await last.go('fresh');
    expect(result).toMatchObject({ failures: [], not_attempted: [], converged: true });
    const after = snapshot(service);
    if (last.plan !== undefined) {
      resultIsTrue(last.plan, result, before, after, scenario);
      restIsUntouched(last.plan, before, after, scenario);
    }
    expect((await last.makePlan()).changes).toEqual([]);
  } finally {
    last.close();
  }
  oneRecordEach(service.records());
}

/** Whatever was under way has come to its end, and shows. */
const settle = (): Promise<void> => sleep(REQUEST_TIMEOUT + 20);

const snapshot = (service: ActingService) => service.records().map((record) => ({ ...record }));

/** The process is gone. */
class Killed extends Error {}

interface Run {
  /** Plans and applies, or goes on with the run that was killed, if there is one to go on with. */
  go(how: Kill['next']): Promise<Applied>;
  makePlan(): Promise<Plan>;
  /** The plan that was, or was going to be, carried out. */
  readonly plan: Plan | undefined;
  isKilled(): boolean;
  isResumed(): boolean;
  close(): void;
}

interface Ending {
  readonly kill?: Kill | undefined;
  readonly interruptAt?: number | undefined;
}

function startRun({ scenario, service, runsFolder, clock }: Place, ending: Ending): Run {
  const interrupt = new AbortController();
  const limiter = mortalLimiter(createLimiter(scenario.parallelism, clock), ending, interrupt);
  const client = clientOf(scenario, service, clock, limiter, interrupt.signal);
  const desired = desiredOf(scenario);
  let carriedOut: Plan | undefined;
  let isResumed = false;

  async function replan(learned: Partial<PlanOptions> = {}): Promise<Replan> {
    const fields = desired.map(({ domain, settings }) => ({
      domain,
      fields: READABLE_NAMES.filter((name) => settings[name] !== undefined),
    }));
    const current = await readCurrent(client, fields, scenario.parallelism);
    const www = scenario.dialect.www === 'strip' ? 'same' : 'distinct';
    const allow = { empty: true, deletes: 1000, updates: 1000 };
    const plan = planFor({
      desired: { websites: desired },
      current,
      options: { ...scenario.options, www, allow, ...learned },
    });
    return { plan, websites: current.websites };
  }

  const options: ApplyOptions = {
    service: client,
    clock,
    random: () => 0.1,
    requestTimeoutMs: AT_WORK * SPEED,
    timeoutMs: 120_000,
    parallelism: scenario.parallelism,
    ...scenario.batches,
    runsFolder,
    lock: { assertHeld: async () => undefined, release: async () => undefined },
    resolveSecret: async () => new Secret(SECRET),
    replan: (learned) => replan({ ...learned, resend_passwords: false }),
    emit: () => undefined,
    signal: interrupt.signal,
    where: NOT_SAID,
    requests: () => limiter.requests(),
  };

  return {
    async go(how) {
      const unfinished = how === 'resume' ? await lastUnfinished(runsFolder, planFor({}).service) : undefined;
      if (unfinished === undefined) {
        carriedOut = (await replan()).plan;
        return applyPlan(carriedOut, options);
      }
      const recorded = await readJournal(runsFolder, unfinished.run);
      carriedOut = recorded.plan;
      isResumed = true;
      const applied = await resumeRun(recorded, { ...options, skipStale: false });
      expect(applied.stale).toEqual([]);
      return applied;
    },
    makePlan: async () => (await replan()).plan,
    get plan() {
      return carriedOut;
    },
    isKilled: limiter.isDead,
    isResumed: () => isResumed,
    close: () => client.close(),
  };
}

/** Lets requests through until the run is killed: from then on nothing is sent, and no answer comes back. */
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
  return { ...mortal, isDead: () => isDead, requests: () => count };
}

function clientOf(
  scenario: Scenario,
  service: ActingService,
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
    baseUrl: `http://service.test:${service.port}`,
    key: service.key,
    version: '1.2.3',
    parallelism: scenario.parallelism,
    limiter,
    clock,
    random: () => 0.1,
    environment: {},
    timeoutMs: 120_000,
    requestTimeoutMs: REQUEST_TIMEOUT,
    connectTimeoutMs: REQUEST_TIMEOUT,
    signal,
    connect: { lookup: failing },
    ...(scenario.dialect.favorite === undefined ? {} : { favorite: scenario.dialect.favorite }),
  });
}

/** Pauses are as much shorter as its hours are. */
function fastClock(): Clock {
  const start = Date.now();
  const begun = performance.now();
  const monotonic = (): number => (performance.now() - begun) * SPEED;
  return {
    now: () => start + monotonic(),
    monotonic,
    sleep: (milliseconds, signal) =>
      sleep(milliseconds / SPEED, undefined, signal === undefined ? {} : { signal }).catch(() => undefined),
  };
}

function redirectOf({ redirect: status }: Scenario): ActingService['dialect']['redirect'] {
  if (status === undefined) return undefined;
  return ({ host, target }) =>
    host.startsWith('www.') ? undefined : { status, location: `http://www.${host}${target}` };
}

/** The faults of the scenario in the order in which requests come, whatever the round. */
function bringFaults({ faults, outage }: Scenario, service: ActingService): void {
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
