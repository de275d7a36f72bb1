/**
 * A walk: plan and apply with the real client over a scripted service, killed and run again as the scenario says;
 * then without faults.
 */
import { expect } from 'vitest';
import type { StoredRecord } from '../scripted-service.ts';
import { oneRecordEach, onlyWhatWasPlanned, restIsUntouched, resultIsTrue } from './invariants.ts';
import { bringFaults, inPlace, outcomeOf, type Place, type Run, settle, snapshot, startRun } from './run.ts';
import type { Kill, Scenario } from './scenario.ts';

export interface Walked {
  readonly requests: number;
  readonly kills: number;
  readonly resumed: number;
  /** Rounds that ended in an error before anything was sent. */
  readonly refused: number;
  readonly creates: number;
  readonly updates: number;
  readonly deletes: number;
}

/** Creates `folder`. */
export function takeWalk(scenario: Scenario, folder: string): Promise<Walked> {
  return inPlace(scenario, folder, walk);
}

async function walk(place: Place): Promise<Walked> {
  const { scenario, service } = place;
  const tally = { requests: 0, kills: 0, resumed: 0, refused: 0, creates: 0, updates: 0, deletes: 0 };
  let how: Kill['next'] = 'fresh';
  let planned = snapshot(service);
  bringFaults(scenario, service);
  for (const kill of [...scenario.kills, undefined]) {
    const interruptAt = tally.kills === 0 ? scenario.interruptAt : undefined;
    const run = startRun(place, { kill, interruptAt });
    const start = snapshot(service);
    const came = await takeRound(run, { how, start, planned }, place);
    if (!run.isResumed()) planned = start;
    for (const { action } of run.plan?.changes ?? []) tally[`${action}s`] += 1;
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
  /** The records at the start of the round, and at the start of its plan. */
  readonly start: readonly StoredRecord[];
  readonly planned: readonly StoredRecord[];
}

/** Runs until the end or a kill; then checks the invariants. `refused`: it ended in an error. */
async function takeRound(
  run: Run,
  { how, start, planned }: Round,
  { scenario, service }: Place,
): Promise<'applied' | 'refused' | 'killed'> {
  const from = service.requests.length;
  const applied = await outcomeOf(run, () => run.go(how));
  // The program waits in the same way before it continues after a killed run.
  await settle();
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

/** One more apply without faults completes the changes, and the next plan is empty. */
async function converges(place: Place): Promise<void> {
  const { service } = place;
  const scenario = { ...place.scenario, lookupsLost: 0 };
  service.faults = undefined;
  await service.reopen();
  await settle();
  const before = snapshot(service);
  // A request without an answer after this time is a fault of the machine.
  const last = startRun({ ...place, scenario, requestTimeoutMs: 10_000 }, {});
  try {
    const { result } = await last.go('fresh');
    expect(result).toMatchObject({ failures: [], not_attempted: [], converged: true });
    const after = snapshot(service);
    if (last.plan !== undefined) {
      resultIsTrue(last.plan, result, before, after, scenario);
      restIsUntouched(last.plan, before, after, scenario);
    }
    // Lists may show writes later than single records do.
    await settle();
    expect((await last.makePlan()).changes).toEqual([]);
  } finally {
    last.close();
  }
  oneRecordEach(service.records());
}
