/** What is dangerous about a plan, by kind, so that a reviewer sees it before any name. */
import type { Change } from '../../model/change.ts';
import type { FieldName } from '../../model/field-table.ts';
import type { Plan } from '../../model/plan.ts';
import { compareRisk, type Risk } from '../../model/risk.ts';
import { fieldRisk } from '../../planner/changes.ts';
import { fieldsOf } from '../groups.ts';

export interface Danger {
  readonly risk: Risk;
  readonly changes: readonly Change[];
}

/** The gravest first, deletes before all. A change is under each of its dangers: none hides behind a graver one. */
export function dangersOf({ changes }: Pick<Plan, 'changes'>): readonly Danger[] {
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
