/** A plan for a person at a terminal: what changes, ranked by risk, and one line that sums it up. */

import type { Guard } from '../../model/guard.ts';
import type { Orphan, Plan } from '../../model/plan.ts';
import type { Warning } from '../../model/warning.ts';
import { refusals } from '../../planner/guards.ts';
import { changesByGroup, groupText } from '../by-group.ts';
import { layOut, nameLines, paintLine } from '../change-human.ts';
import { type Group, groupChanges } from '../groups.ts';
import { docsLine, helpLines, messageLines } from '../message.ts';
import { originCounts } from '../origin.ts';
import { safe, safeDomain, safeId } from '../sanitize.ts';
import type { Style } from '../style.ts';
import {
  duration,
  hang,
  moreLine,
  NAMED,
  type Page,
  pageOf,
  type RenderOptions,
  some,
  textOf,
} from '../text.ts';
import { differText, viewOf, type Wording, wordingOf } from '../wording.ts';
import { type Here, NOT_SET_HERE, SECRETS_NEEDED, secretsOf } from './secrets.ts';
import { asTheFilesSay, orphansKept, planCounts, readText, selectionFlags } from './words.ts';

const WARNINGS = 20;

/** The plan as text that ends in its summary line. */
export function planHuman(given: Plan, options: RenderOptions & Here): string {
  const page = pageOf(options);
  const plan = viewOf(given, options);
  const wording = wordingOf(options);
  const groups = groupChanges(plan.changes);
  return textOf([
    changeLines(groups, page, wording),
    [
      ...shortenedLines(groups, page.style),
      ...selectionLines(plan, page),
      ...originLines(plan, page),
      ...byGroupLines(plan, page, wording),
      ...orphanLines(plan.orphans, page),
      ...(options.drift === undefined ? [...secretLines(plan, options, page), ...costLines(plan, page)] : []),
    ],
    ...noteBlocks(plan, page, options),
  ]);
}

/** What is to be said of a plan beside its changes: warnings, guards and the summary. */
export function planNotes(plan: Plan, options: RenderOptions & Here): string {
  return textOf(noteBlocks(plan, pageOf(options), options));
}

function noteBlocks(plan: Plan, page: Page, options: Here): readonly (readonly string[])[] {
  return [
    warningLines(plan.warnings, page),
    plan.guards.flatMap((guard) => guardLines(guard, page)),
    [page.style.strong(planSummary(plan, options))],
  ];
}

function changeLines(groups: readonly Group[], page: Page, wording: Wording): string[] {
  return layOut(groups, page, wording).flatMap(({ group, head, body }) => [
    ...head,
    ...[...body, ...nameLines(group, page.width)].map((line) => paintLine(line, page.style)),
  ]);
}

/** The one line that says what a plan comes to. */
function planSummary(plan: Plan, { drift }: Here): string {
  const { summary } = plan;
  const ignored = summary.ignored ? `, ${summary.ignored} ignored` : '';
  const unchanged = summary.unchanged === null ? '' : `, ${summary.unchanged} unchanged`;
  const looked = readText(plan);
  const refused = refusals(plan.guards).length;
  const sentences = [
    plan.changes.length === 0
      ? `No changes. ${asTheFilesSay(summary.unchanged)}${ignored}.`
      : drift === undefined
        ? `Plan: ${planCounts(summary)}${unchanged}${ignored}.`
        : `${differText(plan.changes)}. ${asTheFilesSay(summary.unchanged)}${ignored}.`,
    ...(summary.orphan ? [`${orphansKept(plan)}.`] : []),
    ...(looked === undefined ? [] : [looked]),
    ...(refused > 0 ? [`Blocked by ${refused === 1 ? 'a guard' : `${refused} guards`}.`] : []),
  ];
  return sentences.join(' ');
}

function shortenedLines(groups: readonly Group[], style: Style): string[] {
  const isShortened = ({ changes, differing, risky }: Group): boolean =>
    differing.size > 0 || (!risky && changes.length > NAMED);
  if (!groups.some(isShortened)) return [];
  return [style.dim('Shortened. Use --report json=FILE for every domain and value.')];
}

function originLines({ changes, options }: Plan, { style, width }: Page): string[] {
  const counts = originCounts(changes);
  const since = options.since === undefined ? '' : ` since ${safe(options.since)}`;
  return counts.length === 0 ? [] : hang(`Changes${since}: `, counts.join(', '), width).map(style.dim);
}

/** So many groups are counted; the other formats count all. */
const GROUPS = 20;

function byGroupLines({ changes }: Plan, { style }: Page, wording: Wording): string[] {
  const groups = changesByGroup(changes);
  if (groups.length === 0) return [];
  const lines = groups.slice(0, GROUPS).map((group) => `  ${groupText(group, wording)}`);
  return ['By group:', ...lines, ...moreLine(groups.length - lines.length, 'group')].map(style.dim);
}

function selectionLines(plan: Plan, { style, width }: Page): string[] {
  const flags = selectionFlags(plan.options);
  const { scope = [] } = plan;
  return [
    ...(scope.length > 0 ? hang('Scope: ', some(scope, safe), width) : []),
    ...(flags.length > 0 ? hang('Filtered by: ', some(flags), width) : []),
  ].map(style.dim);
}

function orphanLines(orphans: readonly Orphan[], { style, width }: Page): string[] {
  if (orphans.length === 0) return [];
  return hang('Orphans (not in the configuration): ', some(orphans, orphanName), width).map(style.dim);
}

function orphanName({ domain, id, protected: held }: Orphan): string {
  return `${safeDomain(domain)} ${safeId(id)}${held ? ' (protected)' : ''}`;
}

function secretLines(plan: Plan, here: Here, { style, width }: Page): string[] {
  const needed = secretsOf(plan, here);
  if (needed.length === 0) return [];
  const names = some(needed, ({ reference, isUnset }) => `${safe(reference)}${isUnset ? NOT_SET_HERE : ''}`);
  return hang(`${SECRETS_NEEDED}: `, names, width).map(style.dim);
}

/** From this many requests on, what applying costs is worth a line. */
const COSTLY = 100;

function costLines({ cost }: Plan, { style }: Page): string[] {
  if (cost.requests < COSTLY) return [];
  const time =
    cost.seconds === null ? '' : `, about ${duration(cost.seconds)} at the rate the service allows`;
  return [style.dim(`Applying takes ${cost.requests} requests${time}.`)];
}

/** By code, with one line for each code that says how to read about it. */
function warningLines(warnings: readonly Warning[], page: Page): string[] {
  const { style } = page;
  const codes = [...new Set(warnings.map(({ code }) => code))];
  const sorted = codes.flatMap((code) => warnings.filter((warning) => warning.code === code));
  const shown = sorted.slice(0, WARNINGS);
  const label = style.warn('warning');
  const lines = shown.flatMap(({ code, message }, index) => [
    ...messageLines(label, message, page),
    ...(shown[index + 1]?.code === code ? [] : [docsLine(code, style)]),
  ]);
  return [...lines, ...moreLine(sorted.length - shown.length, 'warning')];
}

function guardLines({ code, message, remedy, approved }: Guard, page: Page): string[] {
  const { style } = page;
  if (approved) return messageLines(style.good(`approved (${code})`), message, page);
  return [
    ...messageLines(style.bad(`blocked (${code})`), message, page),
    ...helpLines(remedy, '  ', page),
    docsLine(`guard-${code}`, style),
  ];
}
