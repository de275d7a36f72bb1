/** Invariants of an undo, checked against the stored records. */
import { expect } from 'vitest';
import type { Change } from '../../../src/model/change.ts';
import { type FieldName, READABLE_NAMES } from '../../../src/model/field-table.ts';
import type { Plan } from '../../../src/model/plan.ts';
import type { StoredRecord } from '../scripted-service.ts';
import { type Records, recordOf, shows, valueIn } from './invariants.ts';
import type { Scenario } from './scenario.ts';

/** The records before a run, after it, before its undo, and after that. */
export interface Story {
  readonly before: Records;
  readonly left: Records;
  readonly found: Records;
  readonly after: Records;
}

/** No site is more open, unless it was before the run. */
export function noneIsMoreOpen({ before, found, after }: Story): void {
  const isPublic = (records: Records, domain: string) => recordOf(records, domain)?.privacy === 0;
  for (const { domain } of after.filter(({ privacy }) => privacy === 0)) {
    expect([domain, isPublic(found, domain) || isPublic(before, domain)]).toEqual([domain, true]);
  }
}

/** Settings that no change of the undo names stay as they were. */
export function restIsAsFound({ changes }: Pick<Plan, 'changes'>, { found, after }: Story): void {
  const isNamed = (record: StoredRecord) => changes.some(({ domain }) => recordOf([record], domain));
  const rest = (records: Records) => records.filter((record) => !isNamed(record));
  expect(rest(after)).toEqual(rest(found));
}

/** A record that others changed after `run` is not deleted. */
export function noEditIsLost(undo: Plan, run: Plan, { left, found }: Story, scenario: Scenario): void {
  for (const { domain } of undo.changes.filter(({ action }) => action === 'delete')) {
    const create = run.changes.find((change) => change.action === 'create' && change.domain === domain);
    const fields = create?.action === 'create' ? create.fields : {};
    const made = READABLE_NAMES.filter((name) => name in fields);
    const [was, is] = [recordOf(left, domain), recordOf(found, domain)];
    expect([domain, differing(is, was, scenario, made)]).toEqual([domain, []]);
  }
}

/** Each change of the undo that is not `open` restores the state before the run. */
export function restoresWhatWas(
  { changes }: Plan,
  open: ReadonlySet<string>,
  story: Story,
  scenario: Scenario,
): void {
  for (const change of changes.filter(({ domain }) => !open.has(domain))) {
    const is = recordOf(story.after, change.domain);
    const privacy = is?.privacy ?? 0;
    const was = restored(change, story);
    // A site whose password is gone returns as private. A service that resets privacy closes public sites, which stay
    // closed.
    const mayClose = was?.privacy === 2 || (was?.privacy === 0 && scenario.dialect.put === 'replace');
    const former = was && mayClose && privacy === 1 ? { ...was, privacy } : was;
    expect([change.domain, differing(is, former, scenario)]).toEqual([change.domain, []]);
  }
}

function restored(change: Change, { before, found }: Story): StoredRecord | undefined {
  if (change.action === 'delete') return undefined;
  const former = recordOf(before, change.domain);
  if (change.action === 'create') return former;
  const is = recordOf(found, change.domain);
  if (former === undefined || is === undefined) return undefined;
  const changed = READABLE_NAMES.filter((name) => name in change.fields).map((name) => [name, former[name]]);
  return { ...is, ...Object.fromEntries(changed) };
}

/** The fields in which two records differ; 'record' if one of them is missing. */
function differing(
  one: StoredRecord | undefined,
  other: StoredRecord | undefined,
  scenario: Scenario,
  names: readonly FieldName[] = READABLE_NAMES,
): readonly string[] {
  if (one === undefined || other === undefined) return one === other ? [] : ['record'];
  return names.filter((name) => !shows(name, valueIn(name, other), one, scenario));
}
