import { ACTIONS, type Change, neededSecrets } from '../model/change.ts';
import type { FieldName } from '../model/field-table.ts';
import type { Guard } from '../model/guard.ts';
import type { Orphan, Plan } from '../model/plan.ts';
import { compareRisk, type Risk, ROUTINE } from '../model/risk.ts';
import { countByAction, fieldRisk } from '../planner/changes.ts';
import { refusals } from '../planner/guards.ts';
import {
  changeBlocks,
  DRIFTED,
  originCounts,
  PAINTS,
  PLANNED,
  SIGNS,
  tally,
  type Wording,
} from './changes.ts';
import type { Block, Document, Fact, Message, Name, Row, Tone } from './document.ts';
import { changesByGroup, fieldsOf } from './groups.ts';
import { joinTexts, prose, safe, safeDomain, safeId, say, type Text } from './sanitize.ts';
import { count, duration, joinShortenedTexts } from './words.ts';

export interface Here {
  /** The secrets that are not set here, by formatted reference; missing if they were not checked. */
  readonly unset?: { has(reference: string): boolean } | undefined;
  /** Marks a plan in a file, from which it can be applied. */
  readonly isSaved?: boolean;
  /** Set if the plan is shown as drift. */
  readonly drift?: { readonly withOrphans: boolean } | undefined;
}

export function planDocument(given: Plan, here: Here = {}): Document {
  const isDrift = here.drift !== undefined;
  const wording = isDrift ? DRIFTED : PLANNED;
  const plan = viewOf(given, here);
  const { changes, guards } = plan;
  const totals = countByAction(changes);
  return {
    marker: 'plan',
    about: isDrift ? say`Websites drift` : say`Websites plan`,
    headline: headline(plan, isDrift),
    verdict: verdictOf(plan, isDrift),
    counts:
      changes.length === 0
        ? []
        : ACTIONS.map((action) => ({
            paint: PAINTS[action],
            sign: SIGNS[action],
            number: totals[action],
            what: wording.many[action],
          })),
    facts: factsOf(plan, isDrift),
    notices: [
      ...(isDrift ? [] : dangerBlocks(plan)),
      ...guards.map((guard): Block => ({ kind: 'messages', items: [guardMessage(guard)] })),
      ...warningBlocks(plan),
    ],
    body: [
      ...changeBlocks(changes, wording),
      ...(isDrift ? [] : secretBlocks(plan, here)),
      ...groupBlocks(changes, wording),
      ...orphanBlocks(plan.orphans),
      ...(here.isSaved ? useBlocks(plan) : []),
    ],
    summary: summaryText(plan, isDrift),
    footer: footerOf(plan, isDrift),
  };
}

/** For drift, removes risks and limits, and adds orphans if wanted. */
function viewOf(plan: Plan, { drift }: Here): Plan {
  if (drift === undefined) return plan;
  const found = plan.changes.map((change) => ({ ...change, risk: ROUTINE, notes: [] }));
  const guards = plan.guards.filter(({ code }) => code !== 'deletes' && code !== 'updates');
  if (!drift.withOrphans) return { ...plan, guards, changes: found };
  const orphans = plan.orphans.map(({ domain, id }): Change => {
    return { action: 'delete', domain, id, before: {}, cause: 'prune', risk: ROUTINE, notes: [] };
  });
  const changes = [...found, ...orphans];
  return { ...plan, guards, changes, orphans: [], summary: { ...plan.summary, orphan: 0 } };
}

function headline({ changes, summary }: Plan, isDrift: boolean): Text {
  if (changes.length === 0) return isDrift ? say`no drift` : say`no changes`;
  return isDrift ? differText(changes) : planCounts(summary);
}

function planCounts({ create, update, delete: deletes }: Plan['summary']): Text {
  return say`${create} to create, ${update} to update, ${deletes} to delete`;
}

function differText(changes: readonly Change[]): Text {
  const verb = changes.length === 1 ? 'differs' : 'differ';
  return say`${count(changes.length, 'record')} ${verb}: ${tally(countByAction(changes), DRIFTED)}`;
}

function verdictOf({ changes, guards }: Plan, isDrift: boolean): { tone: Tone; text: Text } {
  if (isDrift && changes.length > 0) {
    return {
      tone: 'bad',
      text: say`${count(changes.length, 'record')} ${changes.length === 1 ? 'differs' : 'differ'}`,
    };
  }
  if (isDrift) return { tone: 'good', text: say`No drift` };
  const refused = refusals(guards).length;
  if (refused > 0) return { tone: 'bad', text: say`Blocked by ${count(refused, 'guard')}` };
  return { tone: 'good', text: changes.length === 0 ? say`Nothing to do` : say`Ready to apply` };
}

const COSTLY = 100;

function factsOf(plan: Plan, isDrift: boolean): Fact[] {
  const { service, summary, changes, options, scope = [] } = plan;
  const unchanged = summary.unchanged === null ? undefined : say`${summary.unchanged} unchanged`;
  const texts = [
    changes.length === 0 ? matchText(summary.unchanged) : unchanged,
    summary.orphan ? orphansKept(plan) : undefined,
    summary.ignored ? say`${summary.ignored} ignored` : undefined,
    readText(plan),
  ];
  const labelled: readonly (readonly [Text, Text])[] = [
    [say`Scope`, joinShortenedTexts(scope.map((pattern) => safe(pattern)))],
    [say`Filtered by`, joinShortenedTexts(selectionFlags(options))],
    [
      options.since === undefined ? say`Changes` : say`Changes since ${safe(options.since)}`,
      joinTexts(originCounts(changes)),
    ],
    [say`Cost`, isDrift ? say`` : costText(plan)],
  ];
  return [
    ...(service.target === undefined ? [] : [{ text: prose(service.target), isCode: true as const }]),
    { text: serviceName(service.base_url), isCode: true },
    ...texts.flatMap((text) => (text === undefined ? [] : [{ text }])),
    ...labelled.flatMap(([label, text]) => (text === '' ? [] : [{ label, text }])),
  ];
}

function costText({ cost: { requests, seconds } }: Plan): Text {
  if (requests < COSTLY) return say``;
  const time = seconds === null ? say`` : say`, about ${duration(seconds)} at the rate the service allows`;
  return say`${requests} requests${time}`;
}

export function serviceName(address: string): Text {
  return address.startsWith('local:') ? say`local` : prose(address);
}

export function matchText(unchanged: number | null): Text {
  if (unchanged === null) return say`What was looked up matches the configuration`;
  if (unchanged === 0) return say`No websites matched`;
  return say`${count(unchanged, 'website')} ${unchanged === 1 ? 'matches' : 'match'} the configuration`;
}

function readText({ read, options: { only, since } }: Plan): Text | undefined {
  if (read.kind === 'list') return undefined;
  const text = say`Looked up ${count(read.domains, 'domain')}; the other records were not read.`;
  if (only !== 'config' || since === undefined) return text;
  return say`${text} Changes in commits before ${safe(since)} are not covered.`;
}

function sourceText({ config, options }: Plan): Text {
  if (options.undoes !== undefined) return say`undo of run ${prose(options.undoes)}`;
  return joinShortenedTexts(
    config.files.map(({ path }) => prose(path)),
    3,
  );
}

function orphansKept(plan: Plan): Text {
  const { options, complete, summary } = plan;
  const why =
    options.prune === false
      ? say`no --prune`
      : options.prune === 'removed'
        ? say`not removed from these files`
        : complete
          ? say`protected`
          : say`the list may be incomplete`;
  return say`${count(summary.orphan ?? 0, 'orphan')} kept (${why})`;
}

function selectionFlags({ only, domain, exclude, group = [] }: Plan['options']): Text[] {
  return [
    ...(only === undefined ? [] : [say`--only ${only}`]),
    ...domain.map((pattern) => say`--domain ${safe(pattern)}`),
    ...exclude.map((pattern) => say`--exclude ${safe(pattern)}`),
    ...group.map((name) => say`--group ${safe(name)}`),
  ];
}

const NAMED_DANGERS = 2;

/**
 * Dangers by kind: the guards that block, then the gravest, deletes before all. A change is under each of its
 * dangers, so that none hides behind a graver one.
 */
function dangerBlocks({ changes, guards }: Plan): Block[] {
  const blocking = refusals(guards);
  const byReason = new Map<string, { risk: Risk; changes: Change[] }>();
  const isDelete = ({ action }: Change): number => Number(action === 'delete');
  for (const change of changes.toSorted((a, b) => isDelete(b) - isDelete(a))) {
    for (const risk of risksOf(change)) {
      const known = byReason.get(risk.reason) ?? { risk, changes: [] };
      byReason.set(risk.reason, known);
      known.changes.push(change);
    }
  }
  const risks = [...byReason.values()].sort((a, b) => compareRisk(a.risk, b.risk));
  const rows: Row[] = [
    ...(blocking.length === 0
      ? []
      : [
          dangerRow(
            'blocked',
            say`by a guard`,
            blocking.map(({ code }) => say`${code}`),
            blocking.length,
          ),
        ]),
    ...risks.map(({ risk, changes: own }) =>
      dangerRow(
        risk.level,
        prose(risk.reason),
        own.map(({ domain }) => safeDomain(domain)),
        NAMED_DANGERS,
      ),
    ),
  ];
  if (changes.length === 0 && rows.length === 0) return [];
  const head = [say`Risk`, say`What`, say`Count`, say`Where`];
  const none: Message = { tone: 'good', text: say`No deletes, no loosened privacy, no changed passwords.` };
  return rows.length === 0
    ? [{ kind: 'messages', items: [none], on: 'page' }]
    : [{ kind: 'table', head, rows, on: 'page' }];
}

function dangerRow(level: Row['level'] & string, what: Text, names: readonly Text[], named: number): Row {
  const more = names.length > named ? say` and ${names.length - named} more` : say``;
  const where = say`${joinTexts(names.slice(0, named))}${more}`;
  return { level, cells: [say`${level}`, what, say`${names.length}`, where] };
}

function risksOf(change: Change): readonly Risk[] {
  if (change.action === 'create') return [];
  if (change.action === 'delete') return [change.risk];
  const found = Object.entries(fieldsOf(change)).map(([name, field]) => fieldRisk(name as FieldName, field));
  // Two emptied lists are one danger.
  return [...new Set(found)].filter((risk) => risk !== undefined);
}

function guardMessage({ code, message, remedy, approved }: Guard): Message {
  const text = prose(message);
  if (approved) return { tone: 'good', label: say`approved (${code})`, text };
  return { tone: 'bad', label: say`blocked (${code})`, text, remedy: prose(remedy), more: `guard-${code}` };
}

function warningBlocks({ warnings }: Plan): Block[] {
  if (warnings.length === 0) return [];
  const items = warnings.map(
    ({ code, message }): Message => ({ tone: 'warn', label: say`warning`, text: prose(message), more: code }),
  );
  return [{ kind: 'messages', items, noun: say`warning` }];
}

export interface NeededSecret {
  readonly reference: string;
  readonly isUnset: boolean;
}

export const SECRETS_NEEDED = say`Secrets that apply needs`;

/** Those first that are not set here. A literal comes with its YAML file. */
export function secretsOf({ changes }: Pick<Plan, 'changes'>, { unset }: Here): readonly NeededSecret[] {
  const needed = [...neededSecrets(changes)].flatMap(([reference, ref]) =>
    'yaml' in ref ? [] : { reference, isUnset: unset?.has(reference) ?? false },
  );
  return [...needed.filter(({ isUnset }) => isUnset), ...needed.filter(({ isUnset }) => !isUnset)];
}

function secretBlocks(plan: Plan, here: Here): Block[] {
  const names = secretsOf(plan, here).map(({ reference, isUnset }): Name => {
    return { text: safe(reference), ...(isUnset ? { note: say`not set here` } : {}) };
  });
  return names.length === 0 ? [] : [{ kind: 'names', title: SECRETS_NEEDED, tone: 'dim', names }];
}

function groupBlocks(changes: readonly Change[], wording: Wording): Block[] {
  const groups = changesByGroup(changes).map(({ name, counts, changes: own }) => ({
    title: say`${name === undefined ? say`(no group)` : safe(name)}: ${tally(counts, wording)}`,
    names: own.map(({ action, domain }) => say`${SIGNS[action]} ${safeDomain(domain)}`),
  }));
  return groups.length === 0 ? [] : [{ kind: 'groups', title: say`By group`, groups }];
}

function orphanBlocks(orphans: readonly Orphan[]): Block[] {
  const names = orphans.map(({ domain, id, protected: held }): Name => {
    return { text: say`${safeDomain(domain)} ${safeId(id)}`, ...(held ? { note: say`protected` } : {}) };
  });
  if (names.length === 0) return [];
  return [{ kind: 'names', title: say`Orphans (not in the configuration)`, tone: 'dim', names }];
}

function useBlocks({ changes, guards, expires_at }: Plan): Block[] {
  if (changes.length === 0 || refusals(guards).length > 0) return [];
  const text = say`run "websites apply PLAN-FILE" with the saved plan before ${prose(expires_at)}.`;
  return [
    { kind: 'messages', on: 'page', items: [{ tone: 'plain', label: say`To apply exactly this`, text }] },
  ];
}

function summaryText(plan: Plan, isDrift: boolean): Text {
  const { summary, changes } = plan;
  const ignored = summary.ignored ? say`, ${summary.ignored} ignored` : say``;
  const unchanged = summary.unchanged === null ? say`` : say`, ${summary.unchanged} unchanged`;
  const looked = readText(plan);
  const refused = refusals(plan.guards).length;
  const first =
    changes.length === 0
      ? say`No changes. ${matchText(summary.unchanged)}${ignored}.`
      : isDrift
        ? say`${differText(changes)}${summary.unchanged === 0 ? say`` : say`. ${matchText(summary.unchanged)}`}${ignored}.`
        : say`Plan: ${planCounts(summary)}${unchanged}${ignored}.`;
  const sentences = [
    first,
    ...(summary.orphan ? [say`${orphansKept(plan)}.`] : []),
    ...(looked === undefined ? [] : [looked]),
    ...(refused > 0 ? [say`Blocked by ${refused === 1 ? say`a guard` : count(refused, 'guard')}.`] : []),
  ];
  return joinTexts(sentences, ' ');
}

function footerOf(plan: Plan, isDrift: boolean): Fact[] {
  const { digest, created_at, expires_at, cost } = plan;
  const source: Fact = {
    label: isDrift ? say`Compared with` : say`Plan of`,
    text: sourceText(plan),
    isCode: true,
  };
  const made: Fact = { label: isDrift ? say`checked` : say`planned`, text: prose(created_at), isCode: true };
  if (isDrift) return [source, made];
  return [
    source,
    made,
    { label: say`expires`, text: prose(expires_at), isCode: true },
    ...(cost.requests > 0 && cost.requests < COSTLY
      ? [{ text: say`${count(cost.requests, 'request')} to apply` }]
      : []),
    { label: say`digest`, text: prose(digest), isCode: true },
  ];
}
