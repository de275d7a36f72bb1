/** What rules are told of websites, changes and a plan: plain values, without any password. */
import { ACTIONS, type Change, isSecretChange } from '../../model/change.ts';
import { FIELD_NAMES, FIELDS, type FieldName, SECRET_NAMES, type Settings } from '../../model/field-table.ts';
import type { Value } from '../../model/field-types.ts';
import type { PlanContext, PlanOptions } from '../../model/plan.ts';
import type { PolicySubject } from '../../model/policy.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import { createMemory, memoize } from '../../util/memoize.ts';
import { countByAction } from '../changes.ts';
import type { PlanContent } from '../plan.ts';

/** The variables of a rule, by their names. */
export type Facts = Readonly<Record<string, unknown>>;

/** Facts of many by their names, the values of each in one list: a worker is given these in far less time. */
export interface Table {
  readonly size: number;
  readonly columns: Readonly<Record<string, readonly unknown[]>>;
}

/** What rules on each subject are asked about. */
export type Subjects = { readonly [Subject in PolicySubject]?: Table };

/** The names that a variable has below it; `true` for a value that has none, or whose names are not known. */
export interface Shape {
  readonly [name: string]: Shape | true;
}

const SITE: Shape = Object.fromEntries(FIELD_NAMES.map((name) => [name, true]));
const COMMON: Shape = { domain: true, group: true, site: SITE };
const CHANGE: Shape = {
  ...{ action: true, cause: true, origin: true, risk: true, fields: true },
  before: SITE,
  after: SITE,
};
const COUNTS = [...ACTIONS, 'unchanged', 'orphan', 'ignored'] as const;
const PLAN: Shape = {
  summary: Object.fromEntries(COUNTS.map((name) => [name, true])),
  ...{ changes: true, created_at: true, prune: true, undo: true, base_url: true, target: true, scope: true },
};

export type Variables = Readonly<Record<PolicySubject, Shape>>;

/** The variables of the rules on each subject. */
export const VARIABLES: Variables = {
  website: COMMON,
  change: { ...COMMON, change: CHANGE, plan: PLAN },
  plan: { plan: PLAN },
};

/** Of each website that is declared to be there. */
export function websiteFacts(websites: readonly DesiredWebsite[]): Table {
  const share = sharing();
  const siteOf = memoize(({ settings, initial }: Pick<DesiredWebsite, 'settings' | 'initial'>) =>
    shareSite(share, (name) => settings[name] ?? initial?.[name]),
  );
  // Most records share their settings, and have no others.
  const plain = memoize((settings: Settings) => siteOf({ settings }).facts);
  return {
    size: websites.length,
    columns: {
      domain: websites.map(({ domain }) => domain),
      group: websites.map(({ group = '' }) => group),
      site: websites.map((website) =>
        website.initial === undefined ? plain(website.settings) : siteOf(website).facts,
      ),
    },
  };
}

/** Of each change, and of the plan that they are in, which whoever judges gives its list of changes. */
export function planFacts(
  { changes, counts, scope = [] }: Pick<PlanContent, 'changes' | 'counts' | 'scope'>,
  { prune, undoes }: PlanOptions,
  { service, now }: Pick<PlanContext, 'service' | 'now'>,
): Required<Pick<Subjects, 'change' | 'plan'>> {
  const summary = { ...countByAction(changes), ...counts };
  const plan = {
    // What was not counted, no rule asks for.
    summary: Object.fromEntries(COUNTS.map((name) => [name, BigInt(summary[name] ?? 0)])),
    created_at: new Date(now),
    prune: prune !== false,
    scope,
    undo: undoes !== undefined,
    base_url: service.base_url,
    target: service.target ?? '',
  };
  const [share, shareChange] = [sharing(), sharing()];
  const all = changes.map((change) => changeFacts(change, share, shareChange));
  const columns = {
    domain: changes.map(({ domain }) => domain),
    group: changes.map(({ group = '' }) => group),
    site: all.map(({ action, before, after }) => (action === 'delete' ? before : after)),
    change: all,
    plan: changes.map(() => plan),
  };
  return { change: { size: all.length, columns }, plan: { size: 1, columns: { plan: [plan] } } };
}

function changeFacts(change: Change, share: Share, shareChange: Share): Facts {
  const { action, origin = '', risk } = change;
  const cause = action === 'delete' ? change.cause : '';
  const fields = action === 'delete' ? [] : Object.keys(change.fields);
  const before = shareSite(share, (name) => beforeOf(change, name));
  const after = shareSite(share, (name) => afterOf(change, name));
  const values = [action, cause, origin, risk.level, fields.join(), before.id, after.id];
  return shareChange(values, () => ({
    ...{ action, cause, origin, risk: risk.level, fields },
    before: before.facts,
    after: after.facts,
  })).facts;
}

/** A password of which it is known that it is set. */
const SOME: Value = { yaml: '' };

function beforeOf(change: Change, name: FieldName): Value | undefined {
  if (change.action === 'create') return undefined;
  const isSet = name === 'password' && change.action === 'update' && change.password_set === true;
  return isSet ? SOME : change.before[name];
}

function afterOf(change: Change, name: FieldName): Value | undefined {
  if (change.action === 'delete') return undefined;
  const besides = change.action === 'update' ? change.alongside : change.initial;
  const field = change.fields[name] ?? besides?.[name];
  if (field === undefined) return beforeOf(change, name);
  return isSecretChange(field) ? field.ref : field.after;
}

/** Facts that several have, and what tells them from others. */
interface Shared {
  readonly id: number;
  readonly facts: Facts;
}
/** Facts of equal values are made once: a worker is given these once, and in far less time. */
type Share = (values: readonly unknown[], make: () => Facts) => Shared;

const MOST_SHARED = 100_000;

function sharing(): Share {
  const memory = createMemory<Shared>(MOST_SHARED);
  let made = 0;
  return (values, make) => {
    const known = memory.get(values);
    if (known !== undefined) return known;
    made += 1;
    const fresh = { id: made, facts: make() };
    memory.keep(values, fresh);
    return fresh;
  };
}

/** Settings as files write them; what is cleared is not set, and of a secret it is told that there is one. */
function shareSite(share: Share, ask: (name: FieldName) => Value | undefined): Shared {
  const values = FIELD_NAMES.map((name) => {
    const value = ask(name) ?? undefined;
    return value !== undefined && SECRETS.has(name) ? true : value;
  });
  return share(values, () => {
    const plain: Record<string, unknown> = {};
    for (const [index, name] of FIELD_NAMES.entries()) {
      const value = values[index];
      if (value !== undefined) plain[name] = plainValue(name, value);
    }
    return plain;
  });
}

const SECRETS: ReadonlySet<FieldName> = new Set(SECRET_NAMES);

function plainValue(name: FieldName, value: Value): unknown {
  if (typeof value !== 'number') return value;
  const shown = FIELDS[name].kind.show(value);
  if (shown !== String(value)) return shown;
  return Number.isInteger(value) ? BigInt(value) : value;
}
