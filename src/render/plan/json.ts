/** The plan document `websites.plan/1` (design, "Machine formats"). */
import type { Change, FieldChanges } from '../../core/change.ts';
import { createChangeWriter } from '../../core/change-texts.ts';
import { FIELD_NAMES, type Settings } from '../../core/fields.ts';
import type { Plan } from '../../core/plan.ts';
import { inKeyOrder, itemJson, jsonPieces, quoted, type WriteItem } from '../json.ts';

const PLAN_KEYS = [
  'format',
  'created_at',
  'expires_at',
  'read_at',
  'service',
  'config',
  'complete',
  'options',
  'summary',
  'changes',
  'orphans',
  'guards',
  'warnings',
  'cost',
  'digest',
] as const satisfies readonly (keyof Plan)[];

const CHANGE_KEYS = [
  'action',
  'domain',
  'id',
  'cause',
  'before',
  'fields',
  'alongside',
  'source',
  'risk',
  'origin',
  'notes',
];

/** The plan as JSON text that parses to an equal value. */
export function planJson(plan: Plan): string {
  return [...planJsonPieces(plan)].join('');
}

/** The same in pieces: the text of a large plan takes more room than the plan. */
export function planJsonPieces(plan: Plan): Iterable<string> {
  const write = createChangeWriter((change) => itemJson(orderedChange(change)), quoted) as WriteItem;
  return jsonPieces(inKeyOrder(plan, PLAN_KEYS), (name) => (name === 'changes' ? write : undefined));
}

/** A change with its keys in the order of the design. */
export function orderedChange(change: Change): Change {
  const ordered = inKeyOrder(change, CHANGE_KEYS as (keyof Change)[]);
  if (ordered.action === 'create') return { ...ordered, fields: byField(ordered.fields) };
  if (ordered.action === 'delete') return { ...ordered, before: byField(ordered.before) };
  const { before, fields, alongside } = ordered;
  return { ...ordered, before: byField(before), fields: byField(fields), alongside: byField(alongside) };
}

function byField<T extends FieldChanges | Settings>(values: T): T {
  return inKeyOrder(values, FIELD_NAMES as readonly (keyof T)[]);
}
