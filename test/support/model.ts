/** A service as a pure function: records and a change in, records out. It uses the wire's forms. */

import { decodeRecord } from '../../src/client/decode.ts';
import { encodeForm } from '../../src/client/record-requests.ts';
import type { Change, Update } from '../../src/model/change.ts';
import { domainKey } from '../../src/model/domain.ts';
import { type FieldName, READABLE_NAMES } from '../../src/model/field-table.ts';
import type { Plan } from '../../src/model/plan.ts';
import { Secret } from '../../src/model/secret.ts';
import type { WriteValues } from '../../src/model/service.ts';
import type { Current } from '../../src/model/website.ts';
import { type UpdateForm, updateForm } from '../../src/planner/update-form.ts';
import { createValues, type Secrets, type Values } from '../../src/run/values.ts';

/** A record as a database stores it: every value as text, an empty one as ''. */
export interface Stored {
  readonly id: number;
  readonly domain: string;
  readonly privacy: string;
  readonly password: string;
  readonly email: string;
  readonly exclude_bots: string;
  readonly exclude_params: string;
  readonly exclude_ips: string;
  readonly favorited_at: string;
}

export const RECORD_DEFAULTS: Omit<Stored, 'id' | 'domain'> = {
  privacy: '1',
  password: '',
  email: '0',
  exclude_bots: '1',
  exclude_params: '',
  exclude_ips: '',
  favorited_at: '',
};

/** Differences between deployments. */
export interface Ways {
  /** The effect of an update on fields that it omits. */
  readonly put: 'merge' | 'replace';
  readonly www: 'kept' | 'stripped';
  readonly numbers: 'number' | 'text' | 'boolean';
  readonly lines: '\n' | '\r\n';
  readonly empty: '' | null;
  readonly favourite: 'time' | 'boolean';
  /** Fields that no answer shows. */
  readonly hides: readonly FieldName[];
}

/** The records as answers show them, decoded. */
export function currentOf(records: readonly Stored[], ways: Ways, readAt: number): Current {
  return {
    websites: records.map((record) => decodeRecord(JSON.parse(JSON.stringify(answer(record, ways))))),
    complete: true,
    knownAbsent: new Set(),
    hidden: READABLE_NAMES.filter((name) => ways.hides.includes(name)),
    presenceOnly: ways.favourite === 'boolean' ? ['favorited_at'] : [],
    readAt,
  };
}

function answer(record: Stored, ways: Ways): Record<string, unknown> {
  const number = (text: string): unknown => (ways.numbers === 'text' ? text : Number(text));
  const flag = (text: string): unknown => (ways.numbers === 'boolean' ? text === '1' : number(text));
  const lines = (text: string): unknown => (text === '' ? ways.empty : text.replaceAll('\n', ways.lines));
  const favourite =
    ways.favourite === 'time'
      ? { favorited_at: record.favorited_at === '' ? ways.empty : record.favorited_at }
      : { favorite: record.favorited_at !== '' };
  const shown = {
    id: record.id,
    domain: record.domain,
    privacy: number(record.privacy),
    // Simulates a service that wrongly shows the password itself.
    password: ways.numbers === 'text' ? record.password : record.password !== '',
    email: flag(record.email),
    exclude_bots: flag(record.exclude_bots),
    exclude_params: lines(record.exclude_params),
    exclude_ips: lines(record.exclude_ips),
    ...favourite,
  };
  const hides = ways.hides.flatMap((name): string[] =>
    name === 'favorited_at' ? ['favorited_at', 'favorite'] : [name],
  );
  return Object.fromEntries(Object.entries(shown).filter(([name]) => !hides.includes(name)));
}

/** Every reference has a value. */
const SECRETS: Secrets = Object.assign(new Map<string, Secret>(), {
  get: (ref: string) => new Secret(`value of ${ref}`),
});

/** The records after every change of a plan. Throws if a create finds its domain taken. */
export function carryOut(plan: Plan, records: readonly Stored[], ways: Ways): readonly Stored[] {
  return plan.changes.reduce<readonly Stored[]>((rest, change) => perform(change, rest, ways, plan), records);
}

function perform(change: Change, records: readonly Stored[], ways: Ways, plan: Plan): readonly Stored[] {
  if (change.action === 'delete') return records.filter(({ id }) => String(id) !== change.id);
  if (change.action === 'create') {
    const domain = ways.www === 'stripped' ? change.domain.replace(/^www\./, '') : change.domain;
    if (records.some((record) => domainKey(record.domain) === domain)) throw new Error(`${domain} is taken`);
    const id = 1 + Math.max(0, ...records.map((record) => record.id));
    const sent = received(valuesFor(plan).ofCreate(change), ways, plan);
    return [...records, { ...RECORD_DEFAULTS, ...sent, id, domain }];
  }
  return records.map((record) => {
    if (String(record.id) !== change.id) return record;
    const sent = received(
      valuesFor(plan).ofUpdate(change, formOf(change, plan, ways), change.before),
      ways,
      plan,
    );
    const kept = ways.put === 'merge' ? record : { ...RECORD_DEFAULTS, id: record.id, domain: record.domain };
    return { ...kept, ...sent };
  });
}

const valuesFor = (plan: Plan): Values => createValues(SECRETS, plan.created_at);

/** Makes the form from the record as it was read just before, for a service that may reset omitted fields. */
function formOf(change: Update, { options }: Plan, { favourite }: Ways): UpdateForm {
  const wireNames = favourite === 'boolean' ? { favorited_at: 'favorite' } : {};
  const rule = options.update === 'auto' ? 'full' : options.update;
  const view = { rule, keepsAll: false, closes: false, wireNames };
  return updateForm(change, { settings: change.before }, view);
}

/** The effect of a form on a record. */
function received(values: WriteValues, ways: Ways, plan: Plan): Partial<Stored> {
  const wireNames = ways.favourite === 'boolean' ? { favorited_at: 'favorite' } : {};
  const { favorite, ...fields } = Object.fromEntries(new URLSearchParams(encodeForm(values, wireNames)));
  if (favorite === undefined) return fields;
  return { ...fields, favorited_at: favorite === '1' ? plan.created_at : '' };
}
