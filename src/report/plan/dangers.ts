/** What is dangerous about a plan, by kind, so that a reviewer sees it before any name. */
import type { Change } from '../../model/change.ts';
import type { FieldName } from '../../model/field-table.ts';
import type { Plan } from '../../model/plan.ts';
import { compareRisk, type Risk, type RiskLevel } from '../../model/risk.ts';
import { fieldRisk } from '../../planner/changes.ts';
import { refusals } from '../../planner/guards.ts';
import { fieldsOf } from '../groups.ts';
import { safeDomain } from '../sanitize.ts';

export interface Danger {
  readonly level: RiskLevel | 'blocked';
  readonly what: string;
  readonly count: number;
  /** The first of the domains, or all guards. */
  readonly names: readonly string[];
}

export const NO_DANGER = 'No deletes, no loosened privacy, no changed passwords.';

/** How many websites are named for each danger. */
const NAMED = 2;

/**
 * The guards that block, then the gravest, deletes before all. A change is under each of its dangers: none hides behind
 * a graver one.
 */
export function dangersOf({ changes, guards }: Pick<Plan, 'changes' | 'guards'>): readonly Danger[] {
  const blocking = refusals(guards).map(({ code }) => code);
  const blocked = { level: 'blocked', what: 'by a guard', count: blocking.length, names: blocking } as const;
  const dangers = risksIn(changes).map(
    ({ risk, changes: own }): Danger => ({
      level: risk.level,
      what: risk.reason,
      count: own.length,
      names: own.slice(0, NAMED).map(({ domain }) => safeDomain(domain)),
    }),
  );
  return blocking.length === 0 ? dangers : [blocked, ...dangers];
}

function risksIn(changes: readonly Change[]): { risk: Risk; changes: Change[] }[] {
  const byReason = new Map<string, { risk: Risk; changes: Change[] }>();
  for (const change of changes.toSorted(deletesFirst)) {
    for (const risk of risksOf(change)) {
      const known = byReason.get(risk.reason);
      if (known === undefined) byReason.set(risk.reason, { risk, changes: [change] });
      else known.changes.push(change);
    }
  }
  return [...byReason.values()].sort((a, b) => compareRisk(a.risk, b.risk));
}

function deletesFirst(a: Change, b: Change): number {
  return Number(b.action === 'delete') - Number(a.action === 'delete');
}

function risksOf(change: Change): readonly Risk[] {
  if (change.action === 'create') return [];
  if (change.action === 'delete') return [change.risk];
  const found = Object.entries(fieldsOf(change)).map(([name, field]) => fieldRisk(name as FieldName, field));
  // Two lists that are emptied are one danger.
  return [...new Set(found)].filter((risk) => risk !== undefined);
}
