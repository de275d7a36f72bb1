/** Invariants of a walk, checked against the stored records. */
import { expect } from 'vitest';
import { type Change, isSecretChange } from '../../../src/model/change.ts';
import { FIELDS, type FieldName } from '../../../src/model/field-table.ts';
import type { Value } from '../../../src/model/field-types.ts';
import type { Plan } from '../../../src/model/plan.ts';
import type { Result } from '../../../src/model/run.ts';
import type { LoggedRequest, StoredRecord } from '../scripted-service.ts';
import { type Scenario, SECRET } from './scenario.ts';

export type Records = readonly StoredRecord[];

/** Never two records for one domain. */
export function oneRecordEach(records: Records): void {
  const domains = records.map(({ domain }) => domain);
  expect(domains.filter((domain, index) => domains.indexOf(domain) !== index)).toEqual([]);
}

/** Never a delete, or an update of an earlier record, that is not in the plan. */
export function onlyWhatWasPlanned(plan: Plan, requests: readonly LoggedRequest[], before: Records): void {
  const idsOf = (action: Change['action']): string[] =>
    plan.changes.flatMap((change) => (change.action === action && 'id' in change ? [change.id] : []));
  const old = new Set(before.map(({ id }) => String(id)));
  for (const { method, path, body } of requests) {
    const id = path.split('/').at(-1) ?? '';
    if (method === 'DELETE') expect(idsOf('delete')).toContain(id);
    if (method === 'PUT' && old.has(id)) expect(idsOf('update')).toContain(id);
    if (method !== 'POST') continue;
    const created = plan.changes.filter(({ action }) => action === 'create').map(({ domain }) => domain);
    expect(created).toContain(new URLSearchParams(body).get('domain'));
  }
}

/** Each change reported as done shows; each that failed or was not attempted left no trace. */
export function resultIsTrue(
  plan: Plan,
  result: Result,
  before: Records,
  after: Records,
  scenario: Scenario,
): void {
  const failed = new Map(result.failures.map((failure) => [failure.domain, failure.outcome]));
  const skipped = new Set(result.not_attempted.map(({ domain }) => domain));
  const { created, updated, deleted } = result.summary;
  expect(created + updated + deleted + failed.size + skipped.size).toBe(plan.changes.length);
  if (skipped.size > 0) expect(result.stopped).not.toBeNull();
  const isLate = (scenario.dialect.lagMs ?? 0) > 0;
  for (const change of plan.changes) {
    const { domain, action } = change;
    const is = recordOf(after, domain);
    const outcome = failed.get(domain);
    if (outcome === 'unknown') continue;
    // A late write may still show a create that five look-ups did not find.
    if (outcome === 'failed' && isLate && action === 'create') continue;
    if (outcome === 'failed' || skipped.has(domain))
      expect([outcome, is]).toEqual([outcome, recordOf(before, domain)]);
    else expect([domain, whatIsMissing(change, is, scenario)]).toEqual([domain, []]);
  }
}

/** Records without a change stay the same, and so do the settings that a change does not name. */
export function restIsUntouched(plan: Plan, before: Records, after: Records, { dialect }: Scenario): void {
  const timed = dialect.favorite !== 'favorite';
  const changes = new Map(plan.changes.map((change) => [change.domain.replace(/^www\./, ''), change]));
  // An unknown password cannot be sent again.
  const isLost = (name: string) => name === 'password' && dialect.put === 'replace';
  for (const was of before) {
    const change = changes.get(was.domain.replace(/^www\./, ''));
    if (change?.action === 'delete') continue;
    const is = after.find(({ id }) => id === was.id);
    const kept = Object.keys(was).filter(
      (name) =>
        change === undefined ||
        !(name in change.fields || ('alongside' in change && name in change.alongside) || isLost(name)),
    ) as (keyof StoredRecord)[];
    for (const name of kept) {
      // A favorite without a time can only be sent as a presence.
      const tell = name === 'favorited_at' && !timed ? Boolean : textOf;
      expect([was.domain, name, tell(is?.[name])]).toEqual([was.domain, name, tell(was[name])]);
    }
  }
}

/** Sorts lists, because their order has no meaning. */
function textOf(value: unknown): unknown {
  return typeof value === 'string' ? value.split('\n').sort().join('\n') : (value ?? null);
}

function recordOf(records: Records, domain: string): StoredRecord | undefined {
  return records.find((record) => record.domain === domain || record.domain === domain.replace(/^www\./, ''));
}

/** The fields of a change that a record does not show; 'record' if its existence is wrong. */
function whatIsMissing(change: Change, record: StoredRecord | undefined, scenario: Scenario): string[] {
  if (change.action === 'delete') return record === undefined ? [] : ['record'];
  if (record === undefined) return ['record'];
  return Object.entries(change.fields).flatMap(([name, field]) => {
    const isThere = isSecretChange(field)
      ? record.password === (field.ref === null ? null : SECRET)
      : shows(name as FieldName, field.after, record, scenario);
    return isThere ? [] : [name];
  });
}

function shows(name: FieldName, after: Value, record: StoredRecord, { dialect }: Scenario): boolean {
  if (name === 'favorited_at' && dialect.favorite === 'favorite') {
    return (record.favorited_at !== null) === (after !== null);
  }
  return FIELDS[name].kind.equal(after, valueIn(name, record));
}

/** A stored value in the form in which values are compared. */
function valueIn(name: FieldName, record: StoredRecord): Value {
  const raw = record[name];
  if (name === 'favorited_at') return typeof raw === 'string' ? `${raw.replace(' ', 'T')}Z` : null;
  if (name === 'email' || name === 'exclude_bots') return raw === 1;
  if (name === 'exclude_params' || name === 'exclude_ips') {
    return typeof raw === 'string' ? raw.split('\n').filter((line) => line !== '') : [];
  }
  return raw;
}
