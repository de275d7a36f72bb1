import { addressOf } from '../model/base-url.ts';
import { type Change, neededSecrets } from '../model/change.ts';
import type { Orphan, Plan } from '../model/plan.ts';
import { compareRisk, type Risk, ROUTINE } from '../model/risk.ts';
import { fieldRisk } from '../planner/changes.ts';
import { refusals } from '../planner/guards.ts';
import { groupBy } from '../util/group-by.ts';
import { changeBlocks, countsText, ORIGINS, SIGNS } from './changes.ts';
import { type Block, type Document, listOf, type Message, messagesOf } from './document.ts';
import { compareDanger, entriesOf } from './groups.ts';
import {
  count,
  duration,
  joinShortenedTexts,
  joinTexts,
  type MaybeText,
  prose,
  safe,
  safeDomain,
  safeId,
  say,
  type Text,
  tally,
} from './sanitize.ts';

export interface Here {
  /** References of secrets that are not set here. Missing if that was not checked. */
  readonly unset?: { has(reference: string): boolean } | undefined;
  readonly drift?: Drift | undefined;
}

/** Shows the plan as drift, with the commands that revert it and accept it. */
interface Drift {
  readonly withOrphans: boolean;
  readonly revert: string;
  readonly accept: string;
}

export function planDocument(plan: Plan, here: Here = {}): Document {
  if (here.drift !== undefined) return driftDocument(withoutRisks(plan, here.drift.withOrphans), here.drift);
  const { guards, summary, cost, options, created_at, expires_at, digest } = plan;
  const { create, update, delete: deletes, unchanged } = summary;
  const refused = refusals(guards).length;
  const counts = say`${create} to create, ${update} to update, ${deletes} to delete`;
  const undo = options.undoes && say` (${sourceText(plan)})`;
  const blocked = refused > 0 && say`Blocked by ${refused === 1 ? 'a guard' : count(refused, 'guard')}`;
  const time = cost.seconds !== null && say`, about ${duration(cost.seconds)} at the rate the service allows`;
  const secrets = [
    ...neededNames(plan, here, true).map((name) => say`${name} (not set here)`),
    ...neededNames(plan, here, false),
  ];
  const common = documentOf(plan, {
    isDrift: false,
    headline: joinTexts([plan.changes.length === 0 ? say`no changes` : counts, blocked], '. '),
    said: say`Plan${undo}: ${counts}${unchanged !== null && say`, ${unchanged} unchanged`}`,
    orphans: orphansKept(plan),
    blocked,
  });
  return {
    ...common,
    details: [
      ...common.details,
      cost.requests >= MIN_COST_SHOWN && say`Cost: ${cost.requests} requests${time}`,
    ],
    notices: [dangerBlock(plan), ...common.notices],
    body: [...common.body, listOf(SECRETS_NEEDED, secrets, DIM_PARAGRAPH)],
    footer: [
      say`Plan of: ${sourceText(plan)}`,
      say`planned: ${prose(created_at)}`,
      say`expires: ${prose(expires_at)}`,
      say`digest: ${prose(digest)}`,
    ],
  };
}

const MIN_COST_SHOWN = 100;

interface Words {
  readonly isDrift: boolean;
  readonly headline: Text;
  /** Sentence for a terminal, if there are changes. */
  readonly said: Text;
  readonly orphans: MaybeText;
  readonly blocked?: MaybeText;
}

function documentOf(plan: Plan, { isDrift, headline, said, orphans, blocked }: Words) {
  const { service, changes, summary } = plan;
  const { unchanged } = summary;
  const isNone = changes.length === 0;
  const match = matchText(unchanged);
  const ignored = summary.ignored ? say`${summary.ignored} ignored` : '';
  const first = joinTexts([isNone ? say`No changes. ${match}` : said, ignored]);
  return {
    marker: 'plan' as const,
    headline,
    facts: [
      prose(service.target ?? ''),
      prose(addressOf(service)),
      isNone ? match : unchanged !== null && say`${unchanged} unchanged`,
      orphans,
      ignored,
      readText(plan),
    ],
    details: detailsOf(plan),
    notices: noticesOf(plan),
    body: [...changeBlocks(changes, isDrift), ...groupBlocks(changes, isDrift), orphanBlock(plan.orphans)],
    summary: [say`${joinTexts([first, orphans, readText(plan), blocked], '. ')}.`],
  };
}

/** Drift has no risks and no limits. Orphans are part of it if requested. */
function withoutRisks(plan: Plan, withOrphans: boolean): Plan {
  const orphans = plan.orphans.map(({ domain, id }) => {
    return { action: 'delete', domain, id, before: {}, cause: 'prune' } as const;
  });
  const changes = [...plan.changes, ...(withOrphans ? orphans : [])];
  return {
    ...plan,
    guards: plan.guards.filter(({ code }) => code !== 'deletes' && code !== 'updates'),
    orphans: withOrphans ? [] : plan.orphans,
    changes: changes.map((change) => ({ ...change, risk: ROUTINE, notes: [] })),
  };
}

function driftDocument(plan: Plan, { withOrphans, revert, accept }: Drift): Document {
  const { changes, orphans, summary, created_at } = plan;
  const differ = say`${count(changes.length, 'record')} ${changes.length === 1 ? 'differs' : 'differ'}`;
  const counts = say`${differ}: ${countsText(changes, true)}`;
  const orphaned = say` To delete records that are not in the configuration, add --prune. To add them, omit --update.`;
  const isOrphaned = withOrphans && changes.some(({ action }) => action === 'delete');
  const remedy = say`To revert the drift, run "${prose(revert)}". To accept it, run "${prose(accept)}".${isOrphaned && orphaned}`;
  const isNone = changes.length === 0;
  const common = documentOf(plan, {
    isDrift: true,
    headline: isNone ? say`no drift` : counts,
    said: joinTexts([counts, summary.unchanged !== 0 && matchText(summary.unchanged)], '. '),
    orphans: orphans.length > 0 && count(orphans.length, 'orphan'),
  });
  return {
    ...common,
    notices: [...common.notices, messagesOf(!isNone && { remedy })],
    footer: [say`Compared with: ${sourceText(plan)}`, say`checked: ${prose(created_at)}`],
  };
}

function detailsOf({ changes, options, scope = [] }: Plan): MaybeText[] {
  const origins = tally(
    Object.entries(ORIGINS),
    changes.map(({ origin }) => origin),
  );
  const { only, domain, exclude, group, since } = options;
  const flags = Object.entries({ only, domain, exclude, group }).flatMap(([flag, values = []]) =>
    [values].flat().map((value) => say`--${safe(flag)} ${safe(value)}`),
  );
  const patterns = scope.map((pattern) => safe(pattern));
  return [
    patterns.length > 0 && say`Scope: ${joinShortenedTexts(patterns)}`,
    flags.length > 0 && say`Filtered by: ${joinShortenedTexts(flags)}`,
    origins && say`Changes${since && say` since ${safe(since)}`}: ${origins}`,
  ];
}

export function matchText(unchanged: number | null): Text {
  if (unchanged === null) return say`What was looked up matches the configuration`;
  if (unchanged === 0) return say`No websites matched`;
  return say`${count(unchanged, 'website')} ${unchanged === 1 ? 'matches' : 'match'} the configuration`;
}

function readText({ read, options: { only, since } }: Plan): Text {
  if (read.kind === 'list') return '';
  const text = say`Looked up ${count(read.domains, 'domain')}. The other records were not read`;
  if (only !== 'config' || since === undefined) return text;
  return say`${text}. Changes in commits before ${safe(since)} are not covered`;
}

function sourceText({ config, options }: Plan): Text {
  if (options.undoes !== undefined) return say`undo of run ${prose(options.undoes)}`;
  return joinShortenedTexts(
    config.files.map(({ path }) => prose(path)),
    3,
  );
}

function orphansKept({ options, complete, summary }: Plan): Text {
  if (!summary.orphan) return '';
  const kept = complete ? say`protected` : say`the list may be incomplete`;
  const whys = { false: say`no --prune`, true: kept, removed: say`not removed from these files` };
  return say`${count(summary.orphan, 'orphan')} kept (${whys[`${options.prune}`]})`;
}

const MAX_NAMED_DANGERS = 2;

/** Shows dangers by kind, the most severe first. A change is counted under each of its dangers. */
function dangerBlock({ changes }: Plan): Block {
  const found = changes.toSorted(compareDanger).flatMap((change) => {
    return risksOf(change).map((risk) => ({ ...risk, name: safeDomain(change.domain) }));
  });
  const items = groupBy(found, ({ reason }) => reason)
    .sort(([, [a]], [, [b]]) => compareRisk(a, b))
    .map(([reason, same]) => {
      const where = joinShortenedTexts(
        same.map(({ name }) => name),
        MAX_NAMED_DANGERS,
      );
      return [say`${same[0].level}`, prose(reason), say`${same.length}`, where];
    });
  return { kind: 'table', head: DANGER_HEAD, items, on: 'page' };
}

function risksOf(change: Change): readonly Risk[] {
  if (change.action !== 'update') return change.risk.level === 'low' ? [] : [change.risk];
  const found = entriesOf(change.fields).map(([name, field]) => fieldRisk(name, field));
  // Two emptied lists are one danger.
  return [...new Set(found)].filter((risk) => risk !== undefined);
}

const DANGER_HEAD = [say`Risk`, say`What`, say`Count`, say`Where`];

function noticesOf({ guards, warnings }: Plan): Block[] {
  const lastOf = new Map(warnings.map((warning) => [warning.code, warning]));
  const items = warnings.map((warning): Message => {
    const more = lastOf.get(warning.code) === warning && warning.code;
    return { tone: 'warn', label: say`warning`, text: prose(warning.message), more };
  });
  const blocks = guards.map(({ code, message, remedy, approved }) =>
    messagesOf({
      tone: approved ? 'good' : 'bad',
      label: say`${approved ? 'approved' : 'blocked'} (${code})`,
      text: prose(message),
      remedy: approved ? '' : prose(remedy),
      more: !approved && `guard-${code}`,
    }),
  );
  return [...blocks, messagesOf(...items)];
}

export const SECRETS_NEEDED = 'Secrets that apply needs';

/** Names of needed secrets, either missing here or not. Omits plain-text secrets, which are in the YAML file. */
export function neededNames({ changes }: Plan, { unset }: Here, isMissing: boolean): Text[] {
  return [...neededSecrets(changes)].flatMap(([name, ref]) =>
    'yaml' in ref || (unset?.has(name) ?? false) !== isMissing ? [] : safe(name),
  );
}

const DIM_PARAGRAPH = { tone: 'dim', isParagraph: true } as const;
const MAX_NAMED_IN_GROUP = 20;

function groupBlocks(changes: readonly Change[], isDrift: boolean): Block[] {
  if (changes.every(({ group }) => group === undefined)) return [];
  // Changes without a group come last.
  const groups = groupBy(changes, ({ group }) => group).sort(([a = '\uffff'], [b = '\uffff']) =>
    a < b ? -1 : 1,
  );
  const counts = groups.map(([name, own]) => {
    return say`${name === undefined ? '(no group)' : safe(name)}: ${countsText(own, isDrift)}`;
  });
  const named = groups.map(([, own], at) => {
    const names = own.map(({ action, domain }) => say`${SIGNS[action]} ${safeDomain(domain)}`);
    return say`${counts[at]}: ${joinShortenedTexts(names, MAX_NAMED_IN_GROUP)}`;
  });
  const title = 'By group';
  return [listOf(title, counts, { tone: 'dim', on: 'terminal' }), listOf(title, named, { on: 'page' })];
}

function orphanBlock(orphans: readonly Orphan[]): Block {
  const texts = orphans.map(
    ({ domain, id, protected: held }) => say`${safeDomain(domain)} ${safeId(id)}${held && ' (protected)'}`,
  );
  return listOf('Orphans (not in the configuration)', texts, DIM_PARAGRAPH);
}
