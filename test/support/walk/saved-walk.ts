/** A walk with a saved plan: others edit records, and it is applied under faults and kills. */
import { expect } from 'vitest';
import { type Change, hasSecret, isSecretChange } from '../../../src/model/change.ts';
import type { FieldName } from '../../../src/model/field-table.ts';
import type { Value } from '../../../src/model/field-types.ts';
import type { StoredRecord } from '../scripted-service.ts';
import {
  oneRecordEach,
  onlyWhatWasPlanned,
  type Records,
  recordOf,
  restIsUntouched,
  resultIsTrue,
  shows,
} from './invariants.ts';
import { bringFaults, inPlace, makeEdit, outcomeOf, type Place, settle, snapshot, startRun } from './run.ts';
import type { EditedScenario, Scenario } from './scenario.ts';

export interface WalkedSaved {
  readonly kills: number;
  /** Plans that were applied to the end, and plans that were refused as stale. */
  readonly applied: number;
  readonly stale: number;
}

/** Creates `folder`. */
export function takeSavedWalk(walk: EditedScenario, folder: string): Promise<WalkedSaved> {
  return inPlace(walk.scenario, folder, (place) => walkSaved(place, walk));
}

async function walkSaved(place: Place, { edits, faults, kills }: EditedScenario): Promise<WalkedSaved> {
  const { service, scenario } = place;
  const planning = startRun({ ...place, scenario: { ...scenario, lookupsLost: 0 } }, {});
  const plan = await planning.makePlan().finally(planning.close);
  for (const edit of edits) makeEdit(edit, service);
  await settle();
  const found = snapshot(service);
  const from = service.requests.length;
  bringFaults({ faults, outage: scenario.outage }, service);
  const run = startRun(place, { kill: kills[0], interruptAt: scenario.interruptAt });
  const applied = await outcomeOf(run, () => run.applySaved(plan));
  await settle();
  const after = snapshot(service);
  oneRecordEach(after);
  const requests = service.requests.slice(from);
  const states = plan.changes.map((change) => stateOf(change, found, scenario));
  const isStale = states.includes('changed');
  if (isStale) {
    expect([requests.filter(({ method }) => method !== 'GET'), after]).toEqual([[], found]);
  } else {
    onlyWhatWasPlanned(plan, requests, found);
    restIsUntouched(plan, found, after, scenario);
    const left = plan.changes.filter((_, index) => states[index] === 'as planned');
    if (applied) resultIsTrue({ ...plan, changes: left }, applied.result, found, after, scenario);
  }
  const isApplied = applied !== undefined && !isStale && states.includes('as planned');
  return { kills: Number(run.isKilled()), applied: Number(isApplied), stale: Number(isStale) };
}

/** The state of a change's record: as it was planned, as the change makes it, or neither. */
function stateOf(change: Change, found: Records, scenario: Scenario): 'as planned' | 'made' | 'changed' {
  if (change.action === 'create') {
    const record = recordOf(found, change.domain);
    if (record === undefined) return 'as planned';
    return isMade(change, record, scenario) ? 'made' : 'changed';
  }
  const record = found.find(({ id }) => String(id) === change.id);
  if (record === undefined) return change.action === 'delete' ? 'made' : 'changed';
  if (change.action === 'update' && isMade(change, record, scenario)) return 'made';
  return showsAll(change.before, record, scenario) ? 'as planned' : 'changed';
}

/** True for a password, which no record shows. */
function isMade(
  { fields }: Exclude<Change, { action: 'delete' }>,
  record: StoredRecord,
  scenario: Scenario,
): boolean {
  const made = Object.entries(fields).map(([name, field]) => [
    name,
    isSecretChange(field) ? null : field.after,
  ]);
  return !hasSecret(fields) && showsAll(Object.fromEntries(made), record, scenario);
}

function showsAll(values: object, record: StoredRecord, scenario: Scenario): boolean {
  return Object.entries(values).every(([name, value]: [string, Value]) => {
    // A favorite without a time matches any time.
    if (value === true && name === 'favorited_at') return record.favorited_at !== null;
    return shows(name as FieldName, value, record, scenario);
  });
}
