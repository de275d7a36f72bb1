import type { Action, Change } from '../model/change.ts';
import { domainKey } from '../model/domain.ts';
import { WebsitesError } from '../model/errors.ts';
import type { GuardFact } from '../model/facts.ts';
import type { Approvals, Guard, GuardCode, PlanInput } from '../model/plan.ts';
import { countByAction } from './changes.ts';
import type { Match } from './match.ts';

interface GuardInput extends PlanInput {
  readonly changes: readonly Change[];
  readonly counts: Readonly<Record<Action, number>>;
  readonly match: Match;
}

/** Each rule returns the fact that blocks the plan, if there is one. */
const RULES: readonly (readonly [GuardCode, (input: GuardInput) => GuardFact | undefined])[] = [
  ['empty', empty],
  ['incomplete', incomplete],
  ['protected', protectedDeletes],
  ['deletes', (input) => share('delete', input)],
  ['updates', (input) => share('update', input)],
  ['duplicates', duplicates],
  ['drift', drift],
];

export function tripGuards(changes: readonly Change[], input: PlanInput, match: Match): readonly Guard[] {
  const { factText } = input.context;
  const found = { ...input, changes, counts: countByAction(changes), match };
  const guards = RULES.flatMap(([code, find]): Guard[] => {
    const fact = find(found);
    if (fact === undefined) return [];
    return [{ code, message: factText(fact), remedy: factText(fact, 'remedy'), approved: false }];
  });
  return reapprove(guards, changes, input.rules.allow);
}

/** Approves guards by kind and count. Keeps approvals of a saved plan. */
export function reapprove(
  guards: readonly Guard[],
  changes: readonly Change[],
  { empty, deletes = -1, updates = -1 }: Approvals,
): readonly Guard[] {
  const counts = countByAction(changes);
  const isAllowed = ({ code }: Guard): boolean =>
    (code === 'empty' && empty) ||
    (code === 'deletes' && counts.delete <= deletes) ||
    (code === 'updates' && counts.update <= updates);
  return guards.map((guard) => ({ ...guard, approved: guard.approved || isAllowed(guard) }));
}

export function refusals(guards: readonly Guard[]): readonly Guard[] {
  return guards.filter((guard) => !guard.approved);
}

export function guardError(guards: readonly Guard[]): WebsitesError | undefined {
  const open = refusals(guards);
  if (open.length === 0) return undefined;
  const by = open.length === 1 ? 'a guard' : `${open.length} guards`;
  const messages = open.map(({ message }) => message);
  return new WebsitesError('guard-refused', `Blocked by ${by}: ${messages.join(' ')}`, {
    remedy: open.map(({ remedy }) => remedy).join(' '),
  });
}

export function refuseByGuards(guards: readonly Guard[]): void {
  const error = guardError(guards);
  if (error !== undefined) throw error;
}

function empty({ desired, rules: { undoes }, context: { unmatched } }: GuardInput): GuardFact | undefined {
  const wantsAny = desired.websites.some(({ state }) => state === 'present');
  if (undoes !== undefined || (wantsAny && unmatched.length === 0)) return undefined;
  if (unmatched.length === 0) return { code: 'no-websites' };
  return { code: 'no-files', patterns: unmatched.join(', ') };
}

function incomplete({ current, rules: { prune }, context }: GuardInput): GuardFact | undefined {
  const prunes = prune === true || (prune === 'removed' && (context.removals?.removed.size ?? 0) > 0);
  return prunes && !current.complete ? { code: 'records-unknown' } : undefined;
}

/** Finds deletes of records that are protected, by their declared domain or by their domain on the service. */
function protectedDeletes({ changes, current, match }: GuardInput): GuardFact | undefined {
  const deletes = changes.filter((change) => change.action === 'delete');
  if (deletes.length === 0) return undefined;
  const names = new Map(current.websites.map(({ id, domain }) => [id, domainKey(domain)]));
  const domains = deletes.flatMap(({ domain, id }) =>
    [domain, names.get(id) ?? domain].some(match.isProtected) ? domain : [],
  );
  return domains.length === 0 ? undefined : { code: 'protected-deleted', domains };
}

const MIN_FOR_SHARE = 10;

const IS_OVER: Readonly<Record<'delete' | 'update', (count: number, size: number) => boolean>> = {
  delete: (count, size) =>
    (size < MIN_FOR_SHARE && count > 0 && count === size) || (count > 3 && count > Math.min(25, size * 0.1)),
  update: (count, size) => size >= MIN_FOR_SHARE && count > size * 0.3,
};

/**
 * Compares the count with all records. If not all were read, and the files ignore records or limit the scope,
 * compares it with the declared websites.
 */
function share(
  action: 'delete' | 'update',
  { counts, desired, current: { lookedUp }, match: { population } }: GuardInput,
): GuardFact | undefined {
  const { websites, ignore, scope } = desired;
  const count = counts[action];
  const isAllOurs = ignore.length === 0 && scope === undefined;
  const records = lookedUp === undefined ? population : isAllOurs ? lookedUp.total : undefined;
  const declared = lookedUp && websites.filter(({ state }) => state === 'present').length;
  const isOver = (total: number | undefined): total is number =>
    total !== undefined && IS_OVER[action](count, total);
  if (isOver(records)) return { code: 'many-of-records', action, count, total: records };
  return isOver(declared) ? { code: 'many-of-declared', action, count, total: declared } : undefined;
}

function duplicates({ changes, match }: GuardInput): GuardFact | undefined {
  const ids = new Set(changes.flatMap((change) => (change.action === 'create' ? [] : change.id)));
  const touched = match.duplicates.filter((duplicate) => duplicate.ids.some((id) => ids.has(id)));
  if (touched.length === 0) return undefined;
  const records = touched.map(({ domain, ids }) => `${domain} (#${ids.join(', #')})`);
  return { code: 'duplicates-changed', records };
}

function drift({ changes, rules }: GuardInput): GuardFact | undefined {
  const drifted = changes.filter(({ origin }) => origin === 'drift' || origin === 'both');
  if (!rules.fail_on_drift || drifted.length === 0) return undefined;
  const isMixed = drifted.some(({ origin }) => origin === 'both');
  return { code: isMixed ? 'drifted-and-changed' : 'drifted', domains: drifted.map(({ domain }) => domain) };
}
