/** A run under faults, edits by others, and its undo under its own faults and kills. */
import { expect } from 'vitest';
import type { Action } from '../../../src/model/change.ts';
import type { Plan } from '../../../src/model/plan.ts';
import { oneRecordEach } from './invariants.ts';
import {
  bringFaults,
  inDoubt,
  inPlace,
  lastRun,
  makeEdit,
  outcomeOf,
  type Place,
  settle,
  snapshot,
  startRun,
} from './run.ts';
import type { EditedScenario } from './scenario.ts';
import { noEditIsLost, noneIsMoreOpen, restIsAsFound, restoresWhatWas } from './undo-invariants.ts';

export interface WalkedBack {
  readonly kills: number;
  readonly resumed: number;
  readonly edits: number;
  /** Changes of the undo. */
  readonly creates: number;
  readonly updates: number;
  readonly deletes: number;
}

/** Creates `folder`. */
export function takeUndoWalk(walk: EditedScenario, folder: string): Promise<WalkedBack> {
  return inPlace(walk.scenario, folder, (place) => walkBack(place, walk));
}

async function walkBack(place: Place, { edits, faults, kills }: EditedScenario): Promise<WalkedBack> {
  const { service, scenario } = place;
  const before = snapshot(service);
  bringFaults(scenario, service);
  const run = startRun(place, { kill: scenario.kills[0], interruptAt: scenario.interruptAt });
  await outcomeOf(run, () => run.go('fresh'));
  service.faults = undefined;
  await service.reopen();
  await settle();
  const left = snapshot(service);
  for (const edit of edits) makeEdit(edit, service);
  await settle();
  const found = snapshot(service);
  bringFaults({ faults, outage: undefined }, service);
  const { plan, open, ...tally } = await takeBack(place, await lastRun(place), kills);
  const story = { before, left, found, after: snapshot(service) };
  oneRecordEach(story.after);
  noneIsMoreOpen(story);
  restIsAsFound(plan ?? { changes: [] }, story);
  if (plan !== undefined && run.plan !== undefined) {
    noEditIsLost(plan, run.plan, story, scenario);
    restoresWhatWas(plan, open, story, scenario);
  }
  const count = (action: Action) => plan?.changes.filter((change) => change.action === action).length ?? 0;
  const changes = { creates: count('create'), updates: count('update'), deletes: count('delete') };
  return { ...tally, ...changes, edits: edits.length };
}

interface TakenBack {
  readonly plan: Plan | undefined;
  /** Domains that the undo names as not restored. */
  readonly open: ReadonlySet<string>;
  readonly kills: number;
  readonly resumed: number;
}

/** Undoes a run until one undo is not killed; the last time without faults. */
async function takeBack(
  place: Place,
  run: string | undefined,
  [kill, ...kills]: EditedScenario['kills'],
): Promise<TakenBack> {
  if (kill === undefined) place.service.faults = undefined;
  const undo = startRun(place, { kill });
  const applied = await outcomeOf(undo, () => undo.undo(run));
  await settle();
  if (kill !== undefined && applied === undefined) {
    const killed = await lastRun(place);
    const doubtful = killed === undefined || killed === run ? [] : await inDoubt(place, killed);
    const later = await takeBack(place, run, kills);
    return {
      ...later,
      // The first plan names all changes that later ones make.
      plan: undo.plan ?? later.plan,
      open: new Set([...later.open, ...doubtful]),
      kills: later.kills + Number(undo.isKilled()),
    };
  }
  const { failures = [], not_attempted = [], converged } = applied?.result ?? {};
  expect(converged).not.toBe(false);
  const open = new Set([...failures, ...not_attempted].map(({ domain }) => domain));
  return { plan: undo.plan, open, kills: 0, resumed: Number(undo.isResumed()) };
}
