/** The sentences about a run, the same on every surface. */

import { FIELDS } from '../../model/field-table.ts';
import type { Effect, Failure, Residual, Result } from '../../model/run.ts';
import { matchText as asTheFilesSay } from '../plan.ts';
import { prose, safe, safeDomain, safeId } from '../sanitize.ts';
import { count, duration } from '../text.ts';
import { valueText } from '../values.ts';

/** Whether there was nothing to do, nothing came in between, and all is as it should be. */
export function isNothing({ summary, interrupted, converged }: Result): boolean {
  const { created, updated, deleted, failed, not_attempted } = summary;
  return created + updated + deleted + failed + not_attempted === 0 && !interrupted && converged === true;
}

/** How things are where there was nothing to do: an undo makes nothing as the files say. */
export function nothingText({ summary, undoes }: Result): string {
  return undoes === undefined
    ? asTheFilesSay(summary.unchanged)
    : `Nothing left to undo from run ${safe(undoes)}`;
}

/** What was done, and what was not. */
export function countsText({ summary }: Result): string {
  const { created, updated, deleted, failed, not_attempted } = summary;
  return [
    `${created} created`,
    `${updated} updated`,
    `${deleted} deleted`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(not_attempted > 0 ? [`${not_attempted} not attempted`] : []),
  ].join(', ');
}

/** What it took. */
export function costText({ seconds, requests }: Result): string {
  return `in ${duration(seconds)} (${count(requests, 'request')})`;
}

/** Those of which it cannot be told whether they were carried out, then the others. */
export function unknownFirst(failures: readonly Failure[]): Failure[] {
  return failures.toSorted((a, b) => Number(a.fate !== 'unknown') - Number(b.fate !== 'unknown'));
}

/** `failed (422, 3 attempts)`; status and attempts where they say something. */
export function fateText({ fate, status, attempts }: Failure): string {
  const facts = [
    ...(status === undefined ? [] : [String(status)]),
    ...(attempts > 1 ? [count(attempts, 'attempt')] : []),
  ];
  return `${fate === 'failed' ? 'failed' : 'outcome unknown'}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
}

/** The same with the service's words, below a heading that names the change. */
export function failureText(failure: Failure): string {
  const { action, domain, message } = failure;
  const heading = `Cannot ${action} ${domain}: `;
  return `${fateText(failure)}: ${prose(message.startsWith(heading) ? message.slice(heading.length) : message)}`;
}

/** What is not as it was sent. */
export function residualText({ field, wanted, shown, message }: Residual): string {
  if (field === undefined || wanted === undefined) return prose(message);
  const shows = shown === undefined ? 'does not show it' : `shows ${valueText(field, shown)}`;
  return `${field}: sent ${valueText(field, wanted)}, the service ${shows}`;
}

/** What became of settings that the run was not to change: a heading with its effects, the gravest first. */
export function effectSections({
  side_effects,
  changed_meanwhile,
  restored,
}: Pick<Result, 'side_effects' | 'changed_meanwhile' | 'restored'>): EffectSection[] {
  const sections: EffectSection[] = [
    {
      title: 'Side effects',
      meaning: 'this run changed settings that are not declared',
      effects: side_effects ?? [],
    },
    {
      title: 'Restored',
      meaning: 'updates reset these settings, and this run put them back',
      effects: restored ?? [],
    },
    {
      title: 'Changed meanwhile',
      meaning: 'somebody else changed these settings while this run was in progress',
      effects: changed_meanwhile ?? [],
    },
  ];
  return sections.filter(({ effects }) => effects.length > 0);
}

export interface EffectSection {
  readonly title: string;
  readonly meaning: string;
  readonly effects: readonly Effect[];
}

/** `a.example (#1) email: true → false`. */
export function effectLine({ domain, id, field, before, after }: Effect): string {
  return `${safeDomain(domain)} (${safeId(id)}) ${field}: ${effectValue(field, before)} → ${effectValue(field, after)}`;
}

function effectValue(field: Effect['field'], value: Effect['before']): string {
  if (FIELDS[field].secret) return value === true ? 'set' : 'not set';
  return valueText(field, value);
}

/** Settings that could not be compared after the run. */
export function unverifiedText({ unverified = [] }: Result): string | undefined {
  if (unverified.length === 0) return undefined;
  const parts = unverified.map(({ field, records }) => `${field} of ${count(records, 'record')}`);
  return `Not verified, because the list does not show it: ${parts.join(', ')}.`;
}

/** Why changes were not attempted, in brackets; empty where nobody said. */
export function stoppedText({ stopped }: Result): string {
  return stopped === null ? '' : ` (${prose(stopped).replace(/\.$/, '')})`;
}

/** The verdict of the verification in a word, and what it means; nothing where there was nothing to verify. */
export function proofOf({ summary, converged, interrupted }: Result): readonly [string, string] | undefined {
  const { created, updated, deleted, failed, not_attempted } = summary;
  if (created + updated + deleted === 0 || converged === false) return undefined;
  if (converged === null) {
    const why = interrupted
      ? 'the run was interrupted before the records were read again'
      : 'the records were not read again after the apply';
    return ['Not verified', why];
  }
  const done = created + updated + deleted;
  return ['Verified', `${done} of ${count(done + failed + not_attempted, 'change')}`];
}

/** An undo puts back what the run changed beside its own, too. */
function undoText(run: string | null, scope: string | undefined): string {
  const flags = scope === undefined ? '' : ` ${prose(scope)}`;
  return `Declare these settings, or run "websites undo ${run ?? ''}${flags}" to undo this run and put them back.`;
}

/** The same values would be rejected again. */
function firstStep(failures: readonly Failure[]): string {
  const isRejected = failures.some(({ status }) => status === 400 || status === 409 || status === 422);
  return isRejected ? 'Fix the values that the service rejected, then run' : 'Run';
}

/** What to do next, where something is left to do. */
export function goOnText({
  run,
  undoes,
  scope,
  selection,
  summary,
  converged,
  failures,
  residual,
  side_effects,
}: Result): string | undefined {
  // An undo without its run would take this one back; without selection, more would be planned.
  const command = undoes === undefined ? 'websites apply' : `websites undo ${prose(undoes)}`;
  const flags = [scope, selection].map((given) => (given === undefined ? '' : ` ${prose(given)}`));
  const again = `${command}${flags.join('')}`;
  if (run === null && summary.not_attempted > 0)
    return `Nothing was sent. Run "${again}" to make a new plan.`;
  if (summary.failed + summary.not_attempted > 0) {
    return `Applied changes are kept. ${firstStep(failures)} "${again}" again for the rest.`;
  }
  if (converged !== false) return side_effects === undefined ? undefined : undoText(run, scope);
  if (residual.some(({ field }) => field !== undefined)) {
    const doctor = `websites doctor ${prose(scope ?? '')}`.trimEnd();
    return `Run "${doctor}" to see what this service does with these fields.`;
  }
  const isOne = new Set(residual.map(({ domain }) => domain)).size === 1;
  const records = isOne ? 'the record' : 'the records';
  if (residual.some(({ action, field }) => action === 'create' && field === undefined)) {
    return `Check whether ${records} exist${isOne ? 's' : ''} on the service before you run "${again}" again: a record that is not listed will be created a second time.`;
  }
  return `Check ${records} on the service, then run "${again}" again.`;
}
