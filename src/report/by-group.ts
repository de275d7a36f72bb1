/** The changes of a plan by the group of websites that they are in. */
import type { Action, Change } from '../model/change.ts';
import { countByAction } from '../planner/changes.ts';

export interface ChangesOfGroup {
  /** `undefined` for the websites of no group. */
  readonly name: string | undefined;
  readonly changes: readonly Change[];
  readonly counts: Readonly<Record<Action, number>>;
}

/** By name, those of no group last; nothing where no change is in a group. */
export function changesByGroup(changes: readonly Change[]): readonly ChangesOfGroup[] {
  const byName = new Map<string | undefined, Change[]>();
  for (const change of changes) {
    const known = byName.get(change.group);
    if (known === undefined) byName.set(change.group, [change]);
    else known.push(change);
  }
  if (byName.size === 0 || (byName.size === 1 && byName.has(undefined))) return [];
  return [...byName]
    .sort(([a = '\uffff'], [b = '\uffff']) => (a < b ? -1 : 1))
    .map(([name, own]) => ({ name, changes: own, counts: countByAction(own) }));
}
