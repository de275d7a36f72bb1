/** Invariants of every update on any service, checked against the stored records. */
import { FIELDS as TABLE } from '../../../src/model/field-table.ts';
import type { LoggedRequest, ScriptedService, StoredRecord } from '../scripted-service.ts';
import { type Attempt, domainAt, FIELDS, type Field, keyOf, type UpdateScenario } from './update-scenario.ts';

type Stored = number | string | null;
type Which = 'first' | 'second';

export interface Watch {
  /** Expects the records stored now to stay. */
  begin(): void;
  /** Observes a request that is carried out. */
  arrives(request: LoggedRequest): void;
  /** Makes a colleague's edit of an undeclared setting; does nothing for a declared one. */
  edit(record: StoredRecord, field: Field, value: Stored): void;
  /** Checks an apply that has ended; `isAfterKill` if it followed a killed one. */
  check(which: Which, attempt: Attempt, isAfterKill?: boolean): void;
  sum(): Sum;
}

interface Sum {
  readonly edits: number;
  /** Numbers of edits lost, and of sites opened, between a read and the next write. */
  readonly lost_in_race: number;
  readonly opened_in_race: number;
  /** Each breach of an invariant, in words. */
  readonly breaches: readonly string[];
}

/** State by the keys of settings. */
interface Book {
  readonly service: ScriptedService;
  readonly scenario: UpdateScenario;
  readonly expected: Map<string, Stored>;
  /** Settings that the colleague edited, and those of them that no read has shown since. */
  readonly edited: Set<string>;
  readonly unread: Set<string>;
  /** Edits that look like effects of a write: no read showed them before it, or no response came between. */
  readonly raced: Set<string>;
  /** Records that were written, and not shown since. */
  readonly unshown: Set<number>;
  readonly sum: { edits: number; lost_in_race: number; opened_in_race: number; readonly breaches: string[] };
  /** Updates before the apply began. */
  begun: number;
}

export function createWatch(service: ScriptedService, scenario: UpdateScenario): Watch {
  const book: Book = {
    service,
    scenario,
    expected: new Map(),
    edited: new Set(),
    unread: new Set(),
    raced: new Set(),
    unshown: new Set(),
    sum: { edits: 0, lost_in_race: 0, opened_in_race: 0, breaches: [] },
    begun: 0,
  };
  begin(book);
  return {
    begin: () => begin(book),
    arrives: (request) => arrives(request, book),
    edit: (record, field, value) => edit(record, field, value, book),
    check(which, attempt, isAfterKill = false) {
      checkValues(which, attempt, isAfterKill, book);
      checkDeclared(which, attempt, book);
      checkBlame(attempt, book);
      checkRestored(which, attempt, book);
      checkOpenness(which, attempt, isAfterKill, book);
    },
    sum: () => book.sum,
  };
}

const key = ({ domain }: StoredRecord, field: Field): string => keyOf({ domain, field });

function declared({ domain }: StoredRecord, which: Which, { scenario }: Book): Partial<StoredRecord> {
  return scenario.sites[Number(/\d+/.exec(domain)?.[0])]?.[which] ?? {};
}

function begin(book: Book): void {
  for (const record of book.service.records()) {
    for (const field of FIELDS) book.expected.set(key(record, field), record[field]);
  }
  for (const keys of [book.edited, book.unread, book.raced]) keys.clear();
  book.begun = book.service.history.length;
}

function arrives({ method, path, query: { search = '' }, body }: LoggedRequest, book: Book): void {
  const { service, scenario } = book;
  const id = Number(/\d+$/.exec(path)?.[0]);
  const record = service.records().find((one) => one.id === id);
  if (method === 'PUT' && record !== undefined) meets(record, new URLSearchParams(body), book);
  if (method !== 'GET') return;
  const found = service.records().filter(({ domain }) => domain.includes(search));
  const hidden = record === undefined ? scenario.dialect.hiddenInList : [];
  for (const one of record === undefined ? found : [record]) shows(one, hidden, book);
}

function shows(record: StoredRecord, hidden: readonly string[], { unread, unshown }: Book): void {
  if (hidden.length === 0) unshown.delete(record.id);
  for (const field of FIELDS) if (!hidden.includes(field)) unread.delete(key(record, field));
}

function meets(record: StoredRecord, sent: URLSearchParams, book: Book): void {
  const { expected, edited, unread, raced, unshown, scenario, sum } = book;
  // An answer that omits empty values does not show all.
  const isShown = scenario.dialect.writeAnswer === 'record' && scenario.dialect.nulls === 'shown';
  if (!isShown) unshown.add(record.id);
  for (const field of FIELDS) {
    const name = key(record, field);
    if (unread.has(name)) raced.add(name);
    const value = sent.get(field);
    const isOurs = value === null || !edited.has(name) || raced.has(name) || field === 'favorited_at';
    if (isOurs || value === String(expected.get(name) ?? '')) continue;
    // Expected: a website whose password was lost by a wrong `service.update` becomes private.
    if (field === 'privacy' && value === '1' && expected.get(name) === 2 && record.password === null)
      continue;
    sum.breaches.push(`UNDONE ${name}: an edit that was read is overwritten with ${value}`);
  }
}

function edit(record: StoredRecord, field: Field, value: Stored, book: Book): void {
  const { service, scenario, expected, edited, unread, raced, unshown, sum } = book;
  const site = scenario.sites.find((_, index) => domainAt(index) === record.domain);
  const names: object = { ...site?.first, ...site?.second };
  if (field in names || 'password' in names) return;
  sum.edits += 1;
  const isClosed = field === 'privacy' && value === 2;
  const changed = { [field]: value, ...(isClosed ? { password: 'theirs' } : {}) };
  for (const [name, is] of Object.entries(changed)) {
    const of = key(record, name as Field);
    expected.set(of, is);
    edited.add(of);
    unread.add(of);
    if (unshown.has(record.id)) raced.add(of);
  }
  service.change(record.id, changed);
}

/** No undeclared setting differs, unless the result names it and the exit is not 0. */
function checkValues(which: Which, attempt: Attempt, isAfterKill: boolean, book: Book): void {
  const { service, expected, edited, raced, sum } = book;
  const isNamed = namedBy(attempt);
  for (const { record, field } of service.records().flatMap(fieldsOf)) {
    const name = key(record, field);
    const [is, was] = [record[field], expected.get(name) ?? null];
    if (isFree(record, field, which, book) || isSame(field, is, was)) continue;
    const text = `${name}: was ${was}, is ${is}, exit ${attempt.code}`;
    const isPraised = attempt.code === 0 && !isAfterKill && edited.size === 0;
    if (raced.has(name)) sum.lost_in_race += 1;
    else if (!isNamed(name)) sum.breaches.push(`LOST ${text}`);
    else if (isPraised) sum.breaches.push(`EXIT ${text}`);
  }
}

function fieldsOf(record: StoredRecord): { record: StoredRecord; field: Field }[] {
  return FIELDS.map((field) => ({ record, field }));
}

/** Finds settings named by the result, or by a line about an earlier run. */
function namedBy({ result, stderr }: Attempt): (name: string) => boolean {
  const effects = [...(result?.restored ?? []), ...(result?.side_effects ?? [])];
  const named = new Set([...effects, ...(result?.changed_meanwhile ?? [])].map(keyOf));
  const lines = stderr.split('\n');
  return (name) => {
    const [domain = '', field = ''] = name.split(' ');
    return named.has(name) || lines.some((line) => line.includes(domain) && line.includes(field));
  };
}

/** True for a declared setting, and for the password of a record that the run makes public or private. */
function isFree(record: StoredRecord, field: Field, which: Which, book: Book): boolean {
  const { privacy, ...rest } = declared(record, which, book);
  if (field === 'privacy') return privacy !== undefined;
  if (field !== 'password' || field in rest) return field in rest;
  return privacy !== undefined && privacy !== 2 && book.expected.get(key(record, 'privacy')) === 2;
}

/** Readable settings are as declared, or the exit is not 0. */
function checkDeclared(which: Which, { code }: Attempt, book: Book): void {
  if (code !== 0) return;
  for (const record of book.service.records()) {
    const { password: _, ...settings } = declared(record, which, book);
    for (const [name, wanted] of Object.entries(settings)) {
      const is = record[name as Field];
      if (is === wanted) continue;
      book.sum.breaches.push(`DECLARED ${record.domain} ${name}: ${wanted}, is ${is}, exit 0`);
    }
  }
}

/** The result never blames others for effects that only the run can have had. */
function checkBlame({ result, stderr }: Attempt, { edited, sum }: Book): void {
  for (const effect of result?.changed_meanwhile ?? []) {
    if (!edited.has(keyOf(effect))) sum.breaches.push(`BLAMED ${keyOf(effect)}: nobody else changed it`);
  }
  const line = stderr.split('\n').find((text) => /somebody|someone/i.test(text));
  if (line !== undefined && edited.size === 0) sum.breaches.push(`BLAMED somebody: ${line}`);
}

/** Every setting that is reported as restored is restored, or is also reported as a side effect. */
function checkRestored(which: Which, { result }: Attempt, book: Book): void {
  const { service, expected, edited, sum } = book;
  const kept = new Set([...(result?.side_effects ?? []), ...(result?.changed_meanwhile ?? [])].map(keyOf));
  for (const effect of result?.restored ?? []) {
    const name = keyOf(effect);
    const record = service.records().find(({ domain }) => domain === effect.domain);
    if (record === undefined) continue;
    const is = record[effect.field];
    const isBack = isSame(
      effect.field,
      is,
      { [effect.field]: expected.get(name) ?? null, ...declared(record, which, book) }[effect.field] ?? null,
    );
    if (!isBack && !kept.has(name) && !edited.has(name))
      sum.breaches.push(`RESTORED ${name}, and it is ${is}`);
  }
}

/**
 * No site becomes more open. With a wrong `service.update` a site may, for a moment: then it is closed
 * again, or the next run names it after a kill.
 */
function checkOpenness(which: Which, attempt: Attempt, isAfterKill: boolean, book: Book): void {
  const { service, scenario, raced, sum } = book;
  const isNamed = namedBy(attempt);
  const steps = service.history.slice(book.begun).map(({ before, after }) => [before, after] as const);
  const ends = service.records().map((after) => [asExpected(after, book), after] as const);
  for (const [before, after] of scenario.pin === 'changed' ? ends : [...steps, ...ends]) {
    if ('privacy' in declared(after, which, book) || openness(after) <= openness(before)) continue;
    const name = key(after, 'privacy');
    if (scenario.pin === 'changed' && isAfterKill && isNamed(name)) continue;
    if (raced.has(name) || raced.has(key(after, 'password'))) sum.opened_in_race += 1;
    else sum.breaches.push(`OPEN ${name}: ${before.privacy} became ${after.privacy}`);
  }
}

function asExpected(record: StoredRecord, { expected }: Book): Pick<StoredRecord, 'privacy' | 'password'> {
  return {
    privacy: Number(expected.get(key(record, 'privacy'))),
    password: expected.get(key(record, 'password')) as string | null,
  };
}

/** Compares only the presence of passwords. */
function isSame(field: Field, one: Stored, other: Stored): boolean {
  return TABLE[field].secret ? (one === null) === (other === null) : one === other;
}

/** Higher if more people can see the site. */
function openness({ privacy, password }: Pick<StoredRecord, 'privacy' | 'password'>): number {
  if (privacy === 1) return 0;
  return privacy === 2 ? (password === null ? 2 : 1) : 3;
}
