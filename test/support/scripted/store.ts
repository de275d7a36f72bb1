/** Records in memory, and the meaning of each operation without HTTP. */
import type { Dialect } from './dialect.ts';

export interface StoredRecord {
  readonly id: number;
  domain: string;
  privacy: number;
  password: string | null;
  email: number;
  exclude_bots: number;
  /** Items one per line, as they were sent. */
  exclude_params: string | null;
  exclude_ips: string | null;
  /** `2026-01-31 09:00:00`, in UTC. */
  favorited_at: string | null;
}

export type Fields = Omit<StoredRecord, 'id' | 'domain'>;

const FRESH: Fields = {
  privacy: 1,
  password: null,
  email: 0,
  exclude_bots: 1,
  exclude_params: null,
  exclude_ips: null,
  favorited_at: null,
};

/** Messages by field, as in a 422 response. */
export type Complaint = Readonly<Record<string, readonly string[]>>;

export interface Version {
  readonly id: number;
  readonly before: StoredRecord;
  readonly after: StoredRecord;
}

export interface Store {
  /** All updates by clients, in order. */
  readonly history: readonly Version[];
  create(form: URLSearchParams): StoredRecord | Complaint;
  update(id: number, form: URLSearchParams): StoredRecord | Complaint | undefined;
  remove(id: number): boolean;
  get(id: number): StoredRecord | undefined;
  all(): StoredRecord[];
  /** Shown by lists, newest first: with a delay if the dialect lags. */
  listed(): StoredRecord[];
  /** Inserts or changes a record without checks. */
  insert(domain: string, fields?: Partial<Fields>): StoredRecord;
  change(id: number, fields: Partial<Fields>): void;
}

export function isRecord(result: StoredRecord | Complaint): result is StoredRecord {
  return typeof (result as StoredRecord).id === 'number';
}

export function createStore(dialect: () => Dialect): Store {
  const history: Version[] = [];
  const records = new Map<number, StoredRecord>();
  const view = new Map<number, StoredRecord>();
  const pending: { readonly at: number; readonly id: number; readonly record: StoredRecord | undefined }[] =
    [];
  let lastId = 0;

  /** Makes a change now; lists show it after the lag. */
  function put(id: number, record: StoredRecord | undefined): void {
    if (record === undefined) records.delete(id);
    else records.set(id, record);
    pending.push({ at: Date.now() + dialect().lagMs, id, record: record && { ...record } });
  }

  function add(domain: string, fields: Fields): StoredRecord {
    if (dialect().reusesIds) lastId = Math.max(0, ...records.keys());
    lastId += 1;
    const record = { id: lastId, domain, ...fields };
    put(lastId, record);
    return record;
  }

  return {
    history,
    create(form) {
      const domain = writtenDomain(form.get('domain') ?? '', dialect());
      const taken = dialect().takenElsewhere.includes(domain) || isTaken(records.values(), domain, dialect());
      const complaint = complaintOf(form, taken || domain === '' ? domain : undefined);
      if (complaint !== undefined) return complaint;
      return add(domain, fieldsOf(form, freshIn(dialect()), dialect()));
    },
    update(id, form) {
      // Fields are checked before the ID.
      const complaint = complaintOf(form, undefined);
      if (complaint !== undefined) return complaint;
      const record = records.get(id);
      if (record === undefined) return undefined;
      const updated = { ...record, ...fieldsOf(form, baseOf(record, dialect()), dialect()) };
      put(id, updated);
      history.push({ id, before: record, after: updated });
      return dialect().writeAnswer === 'old' ? record : updated;
    },
    remove(id) {
      const isThere = records.has(id);
      if (isThere) put(id, undefined);
      return isThere;
    },
    get: (id) => records.get(id),
    all: () => [...records.values()],
    listed() {
      const now = Date.now();
      while (pending[0] !== undefined && pending[0].at <= now) {
        const { id, record } = pending.shift() as (typeof pending)[number];
        if (record === undefined) view.delete(id);
        else view.set(id, record);
      }
      return [...view.values()].sort((a, b) => b.id - a.id);
    },
    insert: (domain, fields = {}) => add(domain, { ...FRESH, ...fields }),
    change(id, fields) {
      const record = records.get(id);
      if (record !== undefined) put(id, { ...record, ...fields });
    },
  };
}

function freshIn({ fresh }: Dialect): Fields {
  return { ...FRESH, ...fresh };
}

/** The fields that an update starts from. */
function baseOf(record: StoredRecord, dialect: Dialect): Fields {
  const { put } = dialect;
  if (put === 'merge') return record;
  if (put === 'replace') return freshIn(dialect);
  const fresh = Object.entries(freshIn(dialect)).filter(([name]) => put.resets.includes(name));
  return { ...record, ...Object.fromEntries(fresh) };
}

function writtenDomain(text: string, dialect: Dialect): string {
  const cased = dialect.letters === 'lower' ? text.toLowerCase() : text;
  return dialect.www === 'strip' ? cased.replace(/^www\./i, '') : cased;
}

function isTaken(records: Iterable<StoredRecord>, domain: string, { unique }: Dialect): boolean {
  if (!unique) return false;
  for (const record of records) if (record.domain === domain) return true;
  return false;
}

/** `domain` is a taken one. */
function complaintOf(form: URLSearchParams, domain: string | undefined): Complaint | undefined {
  if (domain === '') return { domain: ['The domain field is required.'] };
  if (domain !== undefined) return { domain: ['This domain is already being used.'] };
  for (const name of ['privacy', 'email', 'exclude_bots']) {
    const value = form.get(name);
    if (value !== null && !/^\d+$/.test(value)) return { [name]: [`The ${name} must be a number.`] };
  }
  if (form.get('privacy') === '2' && form.get('password') === '') {
    return { password: ['The password field is required.'] };
  }
  return undefined;
}

/** Returns `base` with the values of the form. An empty value clears a field. */
function fieldsOf(form: URLSearchParams, base: Fields, dialect: Dialect): Fields {
  const fields: Fields = {
    privacy: base.privacy,
    password: base.password,
    email: base.email,
    exclude_bots: base.exclude_bots,
    exclude_params: base.exclude_params,
    exclude_ips: base.exclude_ips,
    favorited_at: base.favorited_at,
  };
  for (const [name, value] of form) {
    if (dialect.deaf.includes(name)) continue;
    if (name === 'privacy' || name === 'email' || name === 'exclude_bots') fields[name] = Number(value);
    if (name === 'password' || name === 'exclude_params' || name === 'exclude_ips')
      fields[name] = value || null;
    if (name === dialect.favorite)
      fields.favorited_at = favouriteOf(name, value, base.favorited_at, dialect.zoneHours);
  }
  return fields;
}

function inUtc(time: string, hours: number): string {
  const utc = new Date(Date.parse(`${time.replace(' ', 'T')}Z`) - hours * 3_600_000);
  return utc.toISOString().slice(0, 19).replace('T', ' ');
}

function favouriteOf(
  form: Dialect['favorite'],
  value: string,
  before: string | null,
  hours: number,
): string | null {
  if (form === 'favorited_at') return value === '' ? null : inUtc(value, hours);
  if (value !== '1') return null;
  return before ?? new Date().toISOString().slice(0, 19).replace('T', ' ');
}
