import type { Change } from '../model/change.ts';
import { domainKey, matcher } from '../model/domain.ts';
import { WebsitesError } from '../model/errors.ts';
import type { Approvals, Guard } from '../model/guard.ts';
import type { PlanInput } from '../model/plan.ts';
import type { Desired } from '../model/website.ts';
import { joinShortened } from '../util/text.ts';
import { countByAction } from './changes.ts';
import { type Match, type Names, withOtherNames } from './match.ts';

interface Population {
  readonly size: number;
  readonly what: 'records' | 'declared websites';
}

const DELETES_ALWAYS_ALLOWED = 3;
const DELETES_AT_MOST = 25;
const DELETES_SHARE = 0.1;
const UPDATES_SHARE = 0.3;
const SMALL_POPULATION = 10;

export function tripGuards(changes: readonly Change[], input: PlanInput, match: Match): readonly Guard[] {
  const { allow } = input.rules;
  const counts = countByAction(changes);
  const populations = populationsOf(input, match);
  const guards = [
    empty(input),
    incomplete(input),
    protectedDeletes(changes, input, match),
    share('delete', counts.delete, allow.deletes, populations.find(isOverDeletes(counts.delete))),
    share('update', counts.update, allow.updates, populations.find(isOverUpdates(counts.update))),
    duplicates(changes, match),
    drift(changes, input),
  ];
  return guards.filter((guard) => guard !== undefined);
}

/** Applies new approvals to the guards of a saved plan, in addition to those it was made with. */
export function reapprove(
  guards: readonly Guard[],
  changes: readonly Change[],
  allow: Approvals,
): readonly Guard[] {
  const counts = countByAction(changes);
  const isAllowed = ({ code }: Guard): boolean =>
    (code === 'empty' && allow.empty) ||
    (code === 'deletes' && isWithin(allow.deletes, counts.delete)) ||
    (code === 'updates' && isWithin(allow.updates, counts.update));
  return guards.map((guard) => ({ ...guard, approved: guard.approved || isAllowed(guard) }));
}

function isWithin(allowed: number | undefined, count: number): boolean {
  return allowed !== undefined && count <= allowed;
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

function empty({ desired, rules: { undoes, allow }, context: { unmatched } }: PlanInput): Guard | undefined {
  const wantsAny = desired.websites.some(({ state }) => state === 'present');
  if (undoes !== undefined || (wantsAny && unmatched.length === 0)) return undefined;
  const message =
    unmatched.length > 0
      ? `No YAML file in ${unmatched.join(', ')}.`
      : 'The configuration declares no websites.';
  const remedy = 'Check the files. Pass --allow-empty if this is intended.';
  return { code: 'empty', message, remedy, approved: allow.empty };
}

function incomplete({ current, rules: { prune }, context: { removals } }: PlanInput): Guard | undefined {
  const prunes = prune === true || (prune === 'removed' && (removals?.removed.size ?? 0) > 0);
  if (!prunes || current.complete) return undefined;
  return {
    code: 'incomplete',
    message: 'Cannot prune: the service may not have returned all of its records.',
    remedy: 'Run without prune, or run "websites doctor" to see why the list may be incomplete.',
    approved: false,
  };
}

/** Deletes of records protected by the name in the change or on the service. */
function protectedDeletes(
  changes: readonly Change[],
  { desired, current }: PlanInput,
  match: Match,
): Guard | undefined {
  const deletes = changes.filter((change) => change.action === 'delete');
  if (deletes.length === 0) return undefined;
  const isProtected = protection(desired, match);
  const names = new Map(current.websites.map(({ id, domain }) => [id, domainKey(domain)]));
  const domains = deletes.flatMap(({ domain, id }) =>
    [domain, names.get(id) ?? domain].some(isProtected) ? domain : [],
  );
  if (domains.length === 0) return undefined;
  return {
    code: 'protected',
    message: `The plan would delete protected websites: ${joinShortened(domains)}.`,
    remedy: 'Remove the website from "protected" in a separate change, or keep the record.',
    approved: false,
  };
}

export function protection(desired: Desired, names: Names): (domain: string) => boolean {
  const own = desired.websites.filter(({ protect }) => protect).map(({ domain }) => domain);
  return matcher(withOtherNames([...desired.protected, ...own], names));
}

/** Some unread records may be out of scope. */
function populationsOf(
  { desired: { websites, ignore, scope }, current: { lookedUp } }: PlanInput,
  { population }: Match,
): readonly Population[] {
  if (lookedUp === undefined) return [{ size: population, what: 'records' }];
  const { total } = lookedUp;
  const isAllOurs = ignore.length === 0 && scope === undefined;
  const present = websites.filter(({ state }) => state === 'present').length;
  return [
    ...(isAllOurs && total !== undefined ? [{ size: total, what: 'records' } as const] : []),
    { size: present, what: 'declared websites' },
  ];
}

function isOverDeletes(count: number): (population: Population) => boolean {
  return ({ size }) =>
    (size < SMALL_POPULATION && count > 0 && count === size) ||
    (count > DELETES_ALWAYS_ALLOWED && count > Math.min(DELETES_AT_MOST, size * DELETES_SHARE));
}

function isOverUpdates(count: number): (population: Population) => boolean {
  return ({ size }) => size >= SMALL_POPULATION && count > size * UPDATES_SHARE;
}

function share(
  action: 'delete' | 'update',
  count: number,
  allowed: number | undefined,
  over: Population | undefined,
): Guard | undefined {
  if (over === undefined) return undefined;
  const { size, what } = over;
  const of = what === 'records' ? ` of ${size} records` : ` records, and ${size} websites are declared`;
  return {
    code: `${action}s`,
    message: `The plan ${action}s ${count}${of}.`,
    remedy: `Pass --allow-${action}s ${count} if this is intended.`,
    approved: isWithin(allowed, count),
  };
}

function duplicates(changes: readonly Change[], match: Match): Guard | undefined {
  if (match.duplicates.length === 0) return undefined;
  const doubled = new Map(
    match.duplicates.flatMap((duplicate) => duplicate.ids.map((id) => [id, duplicate])),
  );
  const touched = changes.flatMap((change) =>
    change.action === 'create' ? [] : (doubled.get(change.id) ?? []),
  );
  if (touched.length === 0) return undefined;
  const named = touched.map(({ domain, ids }) => `${domain} (#${ids.join(', #')})`);
  return {
    code: 'duplicates',
    message: `Several records have the same domain: ${joinShortened(named)}.`,
    remedy: 'Delete the duplicate record on the service. This tool cannot know which one to keep.',
    approved: false,
  };
}

const LEAVE_OUT =
  'Add the drifted values to the configuration, skip them with --only config, or revert them with --only drift (without --fail-on-drift).';
/** Either --only selects a record that the files change as well. */
const TAKE_OVER =
  'Add the drifted values to the configuration, or run without --fail-on-drift. --only cannot separate changes to the same record.';

function drift(changes: readonly Change[], { rules }: PlanInput): Guard | undefined {
  const drifted = changes.filter(({ origin }) => origin === 'drift' || origin === 'both');
  if (!rules.fail_on_drift || drifted.length === 0) return undefined;
  return {
    code: 'drift',
    message: `The service was changed outside this tool: ${joinShortened(drifted.map((change) => change.domain))}.`,
    remedy: drifted.some(({ origin }) => origin === 'both') ? TAKE_OVER : LEAVE_OUT,
    approved: false,
  };
}
