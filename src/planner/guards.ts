/**
 * Guards: what a plan must not do unless somebody says so, by kind and count
 * (decision: "A guard blocks the whole apply"). One that refuses stops it before its first write.
 */
import type { Change } from '../model/change.ts';
import { WebsitesError } from '../model/errors.ts';
import type { Approvals, Guard } from '../model/guard.ts';
import { some } from '../util/text.ts';
import { countByAction } from './changes.ts';
import type { Match } from './match.ts';

/** So many records, in words. */
export interface Population {
  readonly size: number;
  readonly what: 'records' | 'declared websites';
}

export interface GuardInput {
  readonly changes: readonly Change[];
  readonly match: Match;
  /** What shares are counted against; a guard trips where it trips for one of them. */
  readonly populations: readonly Population[];
  /** Domains that are protected and would be deleted. */
  readonly protectedDeletes: readonly string[];
  /** Some file has a present record, before any selection. */
  readonly wantsAny: boolean;
  /** Directories without YAML files. */
  readonly unmatched: readonly string[];
  readonly prune: boolean;
  readonly complete: boolean;
  /** Changes that the service made are refused. */
  readonly failOnDrift: boolean;
  readonly allow: Approvals;
}

/** Numbers of the guard table. */
const DELETES_ALWAYS_ALLOWED = 3;
const DELETES_AT_MOST = 25;
const DELETES_SHARE = 0.1;
const UPDATES_SHARE = 0.3;
const SMALL_POPULATION = 10;

/** Every guard that this plan trips, approved or not. */
export function tripGuards(input: GuardInput): readonly Guard[] {
  const guards = [
    empty(input),
    incomplete(input),
    protectedDeletes(input),
    deletes(input),
    updates(input),
    duplicates(input),
    drift(input),
  ];
  return guards.filter((guard) => guard !== undefined);
}

/** The guards of a saved plan with what is said yes to beside what was when it was made. */
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

/** The guards that stop an apply. */
export function refusals(guards: readonly Guard[]): readonly Guard[] {
  return guards.filter((guard) => !guard.approved);
}

/** The error that stands for the guards that stop an apply, if any does. */
export function guardError(guards: readonly Guard[]): WebsitesError | undefined {
  const open = refusals(guards);
  if (open.length === 0) return undefined;
  const by = open.length === 1 ? 'a guard' : `${open.length} guards`;
  const messages = open.map(({ message }) => message);
  return new WebsitesError('guard-refused', `Blocked by ${by}: ${messages.join(' ')}`, {
    remedy: open.map(({ remedy }) => remedy).join(' '),
  });
}

/** Throws `guard-refused` where a guard stops an apply. */
export function refuseByGuards(guards: readonly Guard[]): void {
  const error = guardError(guards);
  if (error !== undefined) throw error;
}

function empty({ wantsAny, unmatched, allow }: GuardInput): Guard | undefined {
  if (wantsAny && unmatched.length === 0) return undefined;
  const message =
    unmatched.length > 0
      ? `No YAML file in ${unmatched.join(', ')}.`
      : 'The configuration declares no websites.';
  return {
    code: 'empty',
    message,
    remedy: 'Check the files. Pass --allow-empty if this is intended.',
    approved: allow.empty,
  };
}

function incomplete({ prune, complete }: GuardInput): Guard | undefined {
  if (!prune || complete) return undefined;
  return {
    code: 'incomplete',
    message: 'Cannot prune: the service may not have returned all of its records.',
    remedy: 'Run without prune, or run "websites doctor" to see why the list may be incomplete.',
    approved: false,
  };
}

function protectedDeletes({ protectedDeletes: domains }: GuardInput): Guard | undefined {
  if (domains.length === 0) return undefined;
  return {
    code: 'protected',
    message: `The plan would delete protected websites: ${some(domains)}.`,
    remedy: 'Remove the website from "protected" in a separate change, or keep the record.',
    approved: false,
  };
}

function deletes({ changes, populations, allow }: GuardInput): Guard | undefined {
  const count = countByAction(changes).delete;
  const over = populations.find(({ size }) => {
    const all = size < SMALL_POPULATION && count > 0 && count === size;
    return all || (count > DELETES_ALWAYS_ALLOWED && count > Math.min(DELETES_AT_MOST, size * DELETES_SHARE));
  });
  if (over === undefined) return undefined;
  return {
    code: 'deletes',
    message: `The plan deletes ${shareText(count, over)}.`,
    remedy: `Pass --allow-deletes ${count} if this is intended.`,
    approved: isWithin(allow.deletes, count),
  };
}

function updates({ changes, populations, allow }: GuardInput): Guard | undefined {
  const count = countByAction(changes).update;
  const over = populations.find(({ size }) => size >= SMALL_POPULATION && count > size * UPDATES_SHARE);
  if (over === undefined) return undefined;
  return {
    code: 'updates',
    message: `The plan updates ${shareText(count, over)}.`,
    remedy: `Pass --allow-updates ${count} if this is intended.`,
    approved: isWithin(allow.updates, count),
  };
}

function shareText(count: number, { size, what }: Population): string {
  return what === 'records'
    ? `${count} of ${size} records`
    : `${count} records, and ${size} websites are declared`;
}

function duplicates({ changes, match }: GuardInput): Guard | undefined {
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
    message: `Several records have the same domain: ${some(named)}.`,
    remedy: 'Delete the duplicate record on the service. This tool cannot know which one to keep.',
    approved: false,
  };
}

const LEAVE_OUT =
  'Add the drifted values to the configuration, skip them with --only config, or revert them with --only drift (without --fail-on-drift).';
/** A record that the files change as well is selected by either --only. */
const TAKE_OVER =
  'Add the drifted values to the configuration, or run without --fail-on-drift. --only cannot separate changes to the same record.';

function drift({ changes, failOnDrift }: GuardInput): Guard | undefined {
  const drifted = changes.filter(({ origin }) => origin === 'drift' || origin === 'both');
  if (!failOnDrift || drifted.length === 0) return undefined;
  return {
    code: 'drift',
    message: `The service was changed outside this tool: ${some(drifted.map((change) => change.domain))}.`,
    remedy: drifted.some(({ origin }) => origin === 'both') ? TAKE_OVER : LEAVE_OUT,
    approved: false,
  };
}
