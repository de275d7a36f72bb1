import type { Action, Change } from '../model/change.ts';
import { domainKey } from '../model/domain.ts';
import { WebsitesError } from '../model/errors.ts';
import type { Approvals, Guard, GuardCode, PlanInput } from '../model/plan.ts';
import { joinShortened } from '../util/text.ts';
import { countByAction } from './changes.ts';
import type { Match } from './match.ts';

interface GuardFacts extends PlanInput {
  readonly changes: readonly Change[];
  readonly counts: Readonly<Record<Action, number>>;
  readonly match: Match;
}

type GuardFinding = readonly [message: string, remedy: string] | undefined;

/** Each rule returns the reason that it blocks the plan, and the remedy. */
const RULES: readonly (readonly [GuardCode, (facts: GuardFacts) => GuardFinding])[] = [
  ['empty', empty],
  ['incomplete', incomplete],
  ['protected', protectedDeletes],
  ['deletes', (facts) => share('delete', facts)],
  ['updates', (facts) => share('update', facts)],
  ['duplicates', duplicates],
  ['drift', drift],
];

export function tripGuards(changes: readonly Change[], input: PlanInput, match: Match): readonly Guard[] {
  const facts = { ...input, changes, counts: countByAction(changes), match };
  const guards = RULES.flatMap(([code, find]): Guard[] => {
    const [message, remedy] = find(facts) ?? [];
    return message === undefined || remedy === undefined ? [] : [{ code, message, remedy, approved: false }];
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

function empty({ desired, rules: { undoes }, context: { unmatched } }: GuardFacts): GuardFinding {
  const wantsAny = desired.websites.some(({ state }) => state === 'present');
  if (undoes !== undefined || (wantsAny && unmatched.length === 0)) return undefined;
  const what =
    unmatched.length > 0
      ? `No YAML file in ${unmatched.join(', ')}.`
      : 'The configuration declares no websites.';
  return [what, 'Check the files. Pass --allow-empty if this is intended.'];
}

function incomplete({ current, rules: { prune }, context: { removals } }: GuardFacts): GuardFinding {
  const prunes = prune === true || (prune === 'removed' && (removals?.removed.size ?? 0) > 0);
  if (!prunes || current.complete) return undefined;
  return [
    'Cannot prune: the service may not have returned all of its records.',
    'Run without prune, or run "websites doctor" to find the reason.',
  ];
}

/** Finds deletes of records that are protected, by their declared domain or by their domain on the service. */
function protectedDeletes({ changes, current, match }: GuardFacts): GuardFinding {
  const deletes = changes.filter((change) => change.action === 'delete');
  if (deletes.length === 0) return undefined;
  const names = new Map(current.websites.map(({ id, domain }) => [id, domainKey(domain)]));
  const domains = deletes.flatMap(({ domain, id }) =>
    [domain, names.get(id) ?? domain].some(match.isProtected) ? domain : [],
  );
  if (domains.length === 0) return undefined;
  return [
    `The plan would delete protected websites: ${joinShortened(domains)}.`,
    'Remove the website from "protected" in a separate change, or keep the record.',
  ];
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
  { counts, desired, current: { lookedUp }, match: { population } }: GuardFacts,
): GuardFinding {
  const { websites, ignore, scope } = desired;
  const count = counts[action];
  const isAllOurs = ignore.length === 0 && scope === undefined;
  const total = lookedUp === undefined ? population : isAllOurs ? lookedUp.total : undefined;
  const remedy = `Pass --allow-${action}s ${count} if this is intended.`;
  if (total !== undefined && IS_OVER[action](count, total))
    return [`The plan ${action}s ${count} of ${total} records.`, remedy];
  const present = lookedUp && websites.filter(({ state }) => state === 'present').length;
  if (present === undefined || !IS_OVER[action](count, present)) return undefined;
  return [`The plan ${action}s ${count} records, and ${present} websites are declared.`, remedy];
}

function duplicates({ changes, match }: GuardFacts): GuardFinding {
  const ids = new Set(changes.flatMap((change) => (change.action === 'create' ? [] : change.id)));
  const touched = match.duplicates.filter((duplicate) => duplicate.ids.some((id) => ids.has(id)));
  if (touched.length === 0) return undefined;
  const named = touched.map(({ domain, ids }) => `${domain} (#${ids.join(', #')})`);
  return [
    `Several records have the same domain: ${joinShortened(named)}.`,
    'Delete the duplicate record on the service. This tool cannot know which one to keep.',
  ];
}

const ADD = 'Add the drifted values to the configuration';

function drift({ changes, rules }: GuardFacts): GuardFinding {
  const drifted = changes.filter(({ origin }) => origin === 'drift' || origin === 'both');
  if (!rules.fail_on_drift || drifted.length === 0) return undefined;
  const domains = joinShortened(drifted.map(({ domain }) => domain));
  // Neither value of --only can separate changes of both origins in one record.
  const remedy = drifted.some(({ origin }) => origin === 'both')
    ? `${ADD}, or run without --fail-on-drift. --only cannot separate changes to the same record.`
    : `${ADD}, skip them with --only config, or revert them with --only drift (without --fail-on-drift).`;
  return [`The service was changed outside this tool: ${domains}.`, remedy];
}
