/** A plan as a comment on a pull request: what is dangerous first, cut by rank where it must be. */

import { ACTIONS } from '../../model/change.ts';
import type { Guard } from '../../model/guard.ts';
import type { Orphan, Plan } from '../../model/plan.ts';
import { RISK_LEVELS, type RiskLevel } from '../../model/risk.ts';
import { refusals } from '../../planner/guards.ts';
import { changesByGroup, nameOf } from '../by-group.ts';
import { changeSections, type Edit, editsOf } from '../change-markdown.ts';
import { listDiff } from '../list-diff.ts';
import { alert, cell, code, fitting, folded, inline, type MarkdownOptions } from '../markdown.ts';
import { originCounts } from '../origin.ts';
import { safeDomain, safeId } from '../sanitize.ts';
import { count, duration, limited, moreLine, some, textOf } from '../text.ts';
import { differText, PLANNED, viewOf, type Wording, wordingOf } from '../wording.ts';
import { dangersOf, NO_DANGER } from './dangers.ts';
import { type Here, type NeededSecret, NOT_SET_HERE, SECRETS_NEEDED, secretsOf } from './secrets.ts';
import { asTheFilesSay, orphansKept, planCounts, planSource, readText, selectionFlags } from './words.ts';

/** The hidden first line by which a job finds the comment that it wrote before, and writes it again. */
export const PLAN_MARKER = '<!-- websites-as-code:plan -->';

const [GUARD_LENGTH, WARNING_LENGTH, FACT_LENGTH, NAME_LENGTH] = [800, 400, 120, 60];
const WARNINGS = 10;
/** So many secrets are named, of which the first stand open. */
const [SECRETS, SECRETS_OPEN] = [100, 25];
/** Of a group that is not risky, so many names stand with it, before other groups have room. */
const FIRST_NAMES = 10;

/**
 * One of the pieces that a plan is told in, in the order in which room is given to them: dangers, guards,
 * warnings and secrets, then each edit, with all names where it is risky and else the first ones, then the other names.
 */
type PlanPart =
  | {
      readonly kind: 'danger' | 'guard' | 'warning' | 'secrets' | 'orphans' | 'groups';
      readonly lines: readonly string[];
    }
  | { readonly kind: 'edit' | 'name'; readonly edit: Edit };

/** The plan as Markdown of at most `limit` characters; what does not fit is cut by rank, and counted. */
export function planMarkdown(given: Plan, options: MarkdownOptions & Here = {}): string {
  const plan = viewOf(given, options);
  const isDrift = options.drift !== undefined;
  const needed = isDrift ? [] : secretsOf(plan, options);
  const parts = partsOf(plan, needed, options);
  const whole: Whole = {
    plan,
    totals: byLevel(plan.changes.map(({ risk }) => risk.level)),
    secrets: needed.length,
    isSaved: options.isSaved ?? false,
    isDrift,
  };
  return fitting(parts.length, options, (shown) => documentOf(whole, parts.slice(0, shown)));
}

/** What is the same however many parts are shown. */
interface Whole {
  readonly plan: Plan;
  /** The plan's changes by their risk. */
  readonly totals: Readonly<Record<RiskLevel, number>>;
  /** How many an apply needs. */
  readonly secrets: number;
  readonly isSaved: boolean;
  readonly isDrift: boolean;
}

function partsOf(plan: Plan, needed: readonly NeededSecret[], options: Here): PlanPart[] {
  const isDrift = options.drift !== undefined;
  const planned = { ...PLANNED, drawing: { ...PLANNED.drawing, list: listDiff } };
  const edits = editsOf(plan.changes, isDrift ? wordingOf(options) : planned);
  const risky = edits.filter(({ group }) => group.risky);
  const others = edits.filter(({ group }) => !group.risky);
  const names = (edit: Edit): PlanPart[] => new Array(edit.names).fill({ kind: 'name', edit });
  const warnings = limited(
    plan.warnings,
    WARNINGS,
    'warning',
    ({ code, message }) => `- ${inline(message, WARNING_LENGTH)} (\`${code}\`)`,
  );
  return [
    ...(isDrift ? [] : dangerRows(plan)).map((row): PlanPart => ({ kind: 'danger', lines: [row] })),
    ...plan.guards.map((guard): PlanPart => ({ kind: 'guard', lines: guardLines(guard) })),
    ...warnings.map((line): PlanPart => ({ kind: 'warning', lines: [line] })),
    ...secretParts(needed),
    ...risky.flatMap((edit): PlanPart[] => [{ kind: 'edit', edit }, ...names(edit)]),
    ...others.flatMap((edit): PlanPart[] => [{ kind: 'edit', edit }, ...names(edit).slice(0, FIRST_NAMES)]),
    ...(plan.orphans.length > 0 ? [{ kind: 'orphans' as const, lines: [orphanLine(plan)] }] : []),
    ...groupParts(plan, wordingOf(options)),
    ...others.flatMap((edit) => names(edit).slice(FIRST_NAMES)),
  ];
}

function dangerRows(plan: Plan): string[] {
  return dangersOf(plan).map(({ level, what, count: total, names }) => {
    const left = total > names.length ? ` … and ${total - names.length} more` : '';
    const named = names.map((name) => code(name, NAME_LENGTH)).join(', ');
    return `| **${level}** | ${cell(inline(what))} | ${total} | ${cell(named)}${left} |`;
  });
}

/** What a plan begins with. */
function dangerTable({ changes }: Plan, rows: readonly string[]): string[] {
  if (rows.length > 0) return ['| Risk | What | Count | Where |', '| --- | --- | ---: | --- |', ...rows];
  return changes.length === 0 ? [] : [NO_DANGER];
}

/** So many groups, and domains of each, are named. */
const [GROUPS, GROUP_DOMAINS] = [100, 20];

function groupParts({ changes }: Plan, { many }: Wording): PlanPart[] {
  const groups = changesByGroup(changes);
  if (groups.length === 0) return [];
  const rows = limited(groups, GROUPS, 'group', ({ name, counts, changes: own }) => {
    const domains = some(own, ({ domain }) => code(safeDomain(domain)), GROUP_DOMAINS);
    const cells = [inline(nameOf(name), FACT_LENGTH), counts.create, counts.update, counts.delete, domains];
    return `| ${cells.map((text) => cell(String(text))).join(' | ')} |`;
  });
  const columns = ACTIONS.map((action) => many[action]).join(' | ');
  const head = [`| group | ${columns} | websites |`, '| --- | ---: | ---: | ---: | --- |'];
  return [{ kind: 'groups', lines: folded(`By group (${groups.length})`, [...head, ...rows]) }];
}

function documentOf({ plan, totals, secrets, isSaved, isDrift }: Whole, parts: readonly PlanPart[]): string {
  const linesOf = (kind: PlanPart['kind']): readonly (readonly string[])[] =>
    parts.flatMap((part) => (part.kind === kind && 'lines' in part ? [part.lines] : []));
  const names = new Map<Edit, number>();
  for (const part of parts) {
    if (part.kind === 'edit') names.set(part.edit, 0);
    if (part.kind === 'name') names.set(part.edit, (names.get(part.edit) ?? 0) + 1);
  }
  const shown = [...names].map(([edit, named]) => ({ edit, names: named }));
  const warnings = linesOf('warning').flat();
  return textOf([
    [PLAN_MARKER],
    [`## ${headline(plan, isDrift)}`],
    isDrift ? [] : dangerTable(plan, linesOf('danger').flat()),
    [facts(plan).join(' · ')],
    ...linesOf('guard'),
    warnings.length === 0 ? [] : alert('WARNING', warnings),
    ...changeSections(shown, totals, isDrift),
    cutLines(shown, totals),
    ...secretLines(linesOf('secrets').flat(), secrets),
    ...linesOf('orphans'),
    ...linesOf('groups'),
    readLines(plan),
    ['---'],
    isDrift ? [] : applyLines(plan, isSaved),
    [isDrift ? driftColophon(plan) : colophon(plan)],
  ]);
}

function headline({ changes, summary }: Plan, isDrift: boolean): string {
  if (changes.length === 0) return `Websites: no ${isDrift ? 'drift' : 'changes'}`;
  return `Websites: ${isDrift ? differText(changes) : planCounts(summary)}`;
}

function facts(plan: Plan): string[] {
  const { service, summary, changes, options } = plan;
  const flags = selectionFlags(options);
  return [
    ...(service.target === undefined ? [] : [code(service.target, FACT_LENGTH)]),
    code(service.base_url, FACT_LENGTH),
    ...(changes.length === 0 ? [asTheFilesSay(summary.unchanged)] : []),
    ...(changes.length > 0 && summary.unchanged !== null ? [`${summary.unchanged} unchanged`] : []),
    ...(summary.orphan ? [orphansKept(plan)] : []),
    ...(summary.ignored ? [`${summary.ignored} ignored`] : []),
    ...originCounts(changes),
    ...(options.since === undefined ? [] : [`compared with ${code(options.since, FACT_LENGTH)}`]),
    ...(plan.scope === undefined ? [] : [`scope ${code(some(plan.scope, String, 3), FACT_LENGTH)}`]),
    ...(flags.length > 0 ? [`filtered by ${code(some(flags, String, 3), FACT_LENGTH)}`] : []),
  ];
}

function readLines(plan: Plan): string[] {
  const text = readText(plan);
  return text === undefined ? [] : [inline(text, WARNING_LENGTH)];
}

function guardLines({ code: kind, message, remedy, approved }: Guard): readonly string[] {
  const text = inline(message, GUARD_LENGTH);
  if (approved) return alert('NOTE', [`**Approved** (${code(kind, FACT_LENGTH)}): ${text}`]);
  return alert('CAUTION', [
    `**Blocked by a guard** (${code(kind, FACT_LENGTH)}): ${text}`,
    `**Remedy:** ${inline(remedy, GUARD_LENGTH)}`,
  ]);
}

function secretParts(needed: readonly NeededSecret[]): PlanPart[] {
  return needed.slice(0, SECRETS).map(({ reference, isUnset }) => {
    return { kind: 'secrets', lines: [code(reference, FACT_LENGTH) + (isUnset ? NOT_SET_HERE : '')] };
  });
}

/** The `names` that have room of `total` secrets, those beyond the first ones folded away. */
function secretLines(names: readonly string[], total: number): string[][] {
  if (names.length === 0) return [];
  const rest = [...names.slice(SECRETS_OPEN), ...moreLine(total - names.length)];
  return [
    [`**${SECRETS_NEEDED}:** ${names.slice(0, SECRETS_OPEN).join(', ')}`],
    rest.length === 0 ? [] : folded(count(total - SECRETS_OPEN, 'more secret'), [rest.join(', ')]),
  ];
}

function orphanLine({ orphans }: Plan): string {
  return `**Orphans** (not in the configuration): ${some(orphans, orphanName)}`;
}

function orphanName({ domain, id, protected: held }: Orphan): string {
  return code(`${safeDomain(domain)} ${safeId(id)}`) + (held ? ' (protected)' : '');
}

/** What is not named, by risk; nothing where all is. */
function cutLines(
  shown: readonly { edit: Edit; names: number }[],
  totals: Readonly<Record<RiskLevel, number>>,
): readonly string[] {
  const named = byLevel([]);
  for (const { edit, names } of shown) named[edit.level] += edit.names === 0 ? 1 : names;
  const left = RISK_LEVELS.flatMap((level) =>
    totals[level] > named[level] ? [`${totals[level] - named[level]} ${level}`] : [],
  );
  if (left.length === 0) return [];
  const sum = RISK_LEVELS.reduce((all, level) => all + totals[level] - named[level], 0);
  return alert('NOTE', [
    `**Cut to fit:** ${count(sum, 'change')} not named here (by risk: ${left.join(', ')}). The formats ${code('json')} and ${code('html')} hold everything.`,
  ]);
}

function byLevel(levels: readonly RiskLevel[]): Record<RiskLevel, number> {
  const counts = { critical: 0, high: 0, medium: 0, low: 0 };
  for (const level of levels) counts[level] += 1;
  return counts;
}

function applyLines({ changes, guards, expires_at }: Plan, isSaved: boolean): string[] {
  if (changes.length === 0) return [];
  if (refusals(guards).length > 0) return ['It cannot be applied as it is: see above what blocks it.'];
  if (!isSaved) return [];
  return [
    `**To apply exactly this:** run ${code('websites apply PLAN-FILE')} with the saved plan before ${code(expires_at, FACT_LENGTH)}.`,
  ];
}

/** What was compared, in small print. */
function driftColophon(plan: Plan): string {
  return `<sub>Compared with ${code(planSource(plan), FACT_LENGTH)} · ${code(plan.created_at, FACT_LENGTH)}</sub>`;
}

/** What the plan is of, in small print. */
function colophon(plan: Plan): string {
  const { digest, created_at, cost } = plan;
  const time = cost.seconds === null ? '' : `, about ${duration(cost.seconds)}`;
  const parts = [
    `Plan ${code(digest, FACT_LENGTH)} of ${code(planSource(plan), FACT_LENGTH)}`,
    `made ${code(created_at, FACT_LENGTH)}`,
    ...(cost.requests > 0 ? [`${count(cost.requests, 'request')} to apply${time}`] : []),
  ];
  return `<sub>${parts.join(' · ')}</sub>`;
}
