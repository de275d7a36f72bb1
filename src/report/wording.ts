/** The words for differences: as what a plan changes, or as what drift found on the service. */
import { ACTIONS, type Action, type Change, type Delete } from '../model/change.ts';
import type { Plan } from '../model/plan.ts';
import { ROUTINE } from '../model/risk.ts';
import { countByAction } from '../planner/changes.ts';
import { safe } from './sanitize.ts';
import { count, some } from './text.ts';
import { ARROWS, type Drawing, type Room } from './values.ts';

export interface Wording {
  readonly drawing: Drawing;
  /** What stands at one change. */
  readonly one: Readonly<Record<Action, string>>;
  /** What several are counted as. */
  readonly many: Readonly<Record<Action, string>>;
  /** What is said of a record that is not declared, beside that. */
  readonly undeclared: string;
}

export const PLANNED: Wording = {
  drawing: ARROWS,
  one: { create: 'create', update: 'update', delete: 'delete' },
  many: { create: 'to create', update: 'to update', delete: 'to delete' },
  undeclared: ' (prune)',
};

const FOUND = { create: 'missing', update: 'different', delete: 'extra' } as const;

const DRIFTED: Wording = {
  drawing: {
    list: (had, has, room) => {
      const texts = [
        ...(had === undefined ? [] : [`is ${itemsText(had, room)}`]),
        `${had === undefined ? '' : 'should be '}${itemsText(has, room)}`,
      ];
      return texts.map((text) => ({ tone: 'plain', text }));
    },
    way: (before, after) => `is ${before}, should be ${after}`,
  },
  one: FOUND,
  many: FOUND,
  undeclared: '',
};

function itemsText(items: readonly string[], { items: most, characters }: Room): string {
  return items.length === 0 ? '[]' : some(items, (item) => safe(item, characters), most);
}

/** How a plan is shown as drift: missing where it is shown as a plan. */
export interface AsDrift {
  readonly drift?: { readonly withOrphans: boolean } | undefined;
}

export function wordingOf({ drift }: AsDrift): Wording {
  return drift === undefined ? PLANNED : DRIFTED;
}

/** The plan as it is shown: nothing of drift is a risk, or too much, and orphans may be part of it. */
export function viewOf(plan: Plan, { drift }: AsDrift): Plan {
  if (drift === undefined) return plan;
  const found = plan.changes.map((change) => ({ ...change, risk: ROUTINE, notes: [] }));
  const guards = plan.guards.filter(({ code }) => code !== 'deletes' && code !== 'updates');
  if (!drift.withOrphans) return { ...plan, guards, changes: found };
  const changes = [...found, ...plan.orphans.map(orphanFound)];
  return { ...plan, guards, changes, orphans: [], summary: { ...plan.summary, orphan: 0 } };
}

function orphanFound({ domain, id }: Plan['orphans'][number]): Delete {
  return { action: 'delete', domain, id, before: {}, cause: 'prune', risk: ROUTINE, notes: [] };
}

/** `3 records differ: 1 missing, 2 different`. */
export function differText(changes: readonly Change[]): string {
  const verb = changes.length === 1 ? 'differs' : 'differ';
  return `${count(changes.length, 'record')} ${verb}: ${tally(countByAction(changes), DRIFTED)}`;
}

/** What there is of each kind, such as `2 to create, 1 to delete`. */
export function tally(counts: Readonly<Record<Action, number>>, { many }: Wording): string {
  return ACTIONS.filter((action) => counts[action] > 0)
    .map((action) => `${counts[action]} ${many[action]}`)
    .join(', ');
}
