/**
 * The wire contract: paths, parameters, forms and the shapes of answers (specification, sections 4
 * and 7). Client and service both speak it from here.
 */
import { RECORD_ID, WEBSITES_PATH } from '../model/contract.ts';
import { FIELD_NAMES, FIELDS, SECRET_NAMES } from '../model/field-table.ts';
import { Mismatch, TOO_LARGE } from '../model/field-types.ts';
import { Secret } from '../model/secret.ts';
import type { Traits, WriteValues } from '../model/service.ts';
import type { Website } from '../model/website.ts';
import { isObject } from '../util/json.ts';
import { shareMade } from '../util/memoize.ts';
import { decodeShown, type ReadShown, type Shown, shapeOf } from './decode-settings.ts';
import { at, member, ShapeError } from './shape.ts';

/** Fewer rows than any page size: such an answer was not cut off. */
export const SMALLEST_PAGE = 10;

/** Of the parameters of a list, those that its first page is asked for with. */
export interface ListQuery {
  readonly search?: string;
  readonly search_by?: 'domain';
  readonly sort_by?: 'id';
  readonly sort?: 'desc';
  readonly per_page?: number;
}

/** The path and query of a list request. */
export function listPath(query: ListQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
  return `${WEBSITES_PATH}?${parameters}`;
}

export function recordPath(id: string): string {
  return `${WEBSITES_PATH}/${encodeURIComponent(id)}`;
}

/**
 * The form of a write, with `domain` where it names one. Each field goes by the wire name that the service was
 * seen to use.
 */
export type EncodeForm = (values: WriteValues, wireNames: Traits['wireNames'], domain?: string) => string;

export const encodeForm: EncodeForm = (values, wireNames, domain) =>
  withDomain(encodeValues(values, wireNames), domain);

/** So many are remembered to be shared. */
const MOST_SHARED = 10_000;

/** Encodes as `encodeForm` does, what alike changes share once; but for secrets, which are not kept as text. */
export function createFormEncoder(): EncodeForm {
  const shared = shareMade<string>(MOST_SHARED);
  return (values, wireNames, domain) => {
    const encode = (): string => encodeValues(values, wireNames);
    const hasSecret = SECRET_NAMES.some((name) => values[name] instanceof Secret);
    return withDomain(hasSecret ? encode() : shared([values, wireNames], encode), domain);
  };
}

function withDomain(form: string, domain: string | undefined): string {
  if (domain === undefined) return form;
  return `domain=${encodeURIComponent(domain)}${form === '' ? '' : '&'}${form}`;
}

function encodeValues(values: WriteValues, wireNames: Traits['wireNames']): string {
  const form = new URLSearchParams();
  for (const name of FIELD_NAMES) {
    const value = values[name];
    if (value === undefined) continue;
    const wire = wireNames[name] ?? FIELDS[name].wire[0];
    form.append(wire, value instanceof Secret ? value.reveal() : FIELDS[name].kind.encode(value, wire));
  }
  return form.toString();
}

/** An id is no number that JSON could not hold exactly. */
function answeredId(raw: unknown): string {
  const isId = typeof raw === 'string' ? RECORD_ID.test(raw) : Number.isSafeInteger(raw);
  if (!isId) throw new Mismatch(Number.isInteger(raw) ? TOO_LARGE : 'expected an id');
  return String(raw);
}

function answeredText(raw: unknown): string {
  if (typeof raw !== 'string') throw new Mismatch('expected text');
  return raw;
}

/** A record together with what it shows. */
export interface DecodedRecord {
  readonly website: Website;
  readonly shown: Shown;
}

/**
 * Decodes one record. Unknown members are left out; `domain` is used where the record shows none.
 * Throws a ShapeError.
 */
export function decodeRecord(
  raw: unknown,
  domain?: string,
  readShown: ReadShown = decodeShown,
): DecodedRecord {
  if (!isObject(raw)) throw new ShapeError([], 'expected a record');
  const shown = readShown(raw);
  return { website: websiteOf(raw, shown, domain), shown };
}

function websiteOf(raw: Record<string, unknown>, { settings, unreadable }: Shown, known?: string): Website {
  const id = member(raw, 'id', answeredId);
  const domain =
    raw.domain === undefined && known !== undefined ? known : member(raw, 'domain', answeredText);
  return {
    id,
    domain,
    settings,
    ...(raw.password !== undefined && { passwordSet: isPasswordSet(raw.password) }),
    ...(unreadable !== undefined && { unreadable }),
  };
}

/** Whether a password is set; what was shown of it, were it the password itself, goes no further. */
function isPasswordSet(raw: unknown): boolean {
  return Boolean(raw) && raw !== '0';
}

/** Decodes an answer that holds one record, bare or under `data` or another single object member. */
export function decodeOne(raw: unknown, domain?: string, readShown?: ReadShown): DecodedRecord {
  const key = isObject(raw) ? recordKey(raw) : undefined;
  return isObject(raw) && key !== undefined
    ? at([key], () => decodeRecord(raw[key], domain, readShown))
    : decodeRecord(raw, domain, readShown);
}

/** The member that holds the record, if it is not the answer itself; an envelope may have an id of its own. */
function recordKey(raw: Record<string, unknown>): string | undefined {
  if (isObject(raw.data) && 'id' in raw.data) return 'data';
  if ('id' in raw) return undefined;
  return 'data' in raw ? 'data' : onlyKey(raw, isObject);
}

/** One page of a list, and what it says about the others. */
export interface DecodedPage {
  readonly records: readonly Website[];
  /** What its records show, each once. */
  readonly shown: ReadonlySet<Shown>;
  readonly total?: number;
  /** How large the answer was, in characters; for who reads many. */
  readonly size?: number;
  /** The link to the next page; `null` says there is none; missing: the answer has no such link. */
  readonly next?: string | null;
}

/** The rows of a list, and the member that holds them: `data`, another single array, or '' for a bare one. Throws a ShapeError. */
export function listRows(raw: unknown): { readonly envelope: string; readonly rows: readonly unknown[] } {
  if (Array.isArray(raw)) return { envelope: '', rows: raw };
  if (!isObject(raw)) throw new ShapeError([], 'expected a list');
  const envelope = 'data' in raw ? 'data' : onlyKey(raw, Array.isArray);
  const rows = envelope === undefined ? undefined : raw[envelope];
  if (envelope === undefined || !Array.isArray(rows)) throw new ShapeError(['data'], 'expected a list');
  return { envelope, rows };
}

/** Decodes a list, with or without links and a total. Throws a ShapeError. */
export function decodePage(raw: unknown, readShown?: ReadShown): DecodedPage {
  const { envelope, rows } = listRows(raw);
  if (!isObject(raw)) return decodeRecords(rows, readShown);
  const meta = isObject(raw.meta) ? raw.meta : raw;
  const { next } = isObject(raw.links) ? raw.links : { next: raw.next_page_url };
  return {
    ...at([envelope], () => decodeRecords(rows, readShown)),
    ...totalOf(meta.total),
    ...(next === null || (typeof next === 'string' && next !== '') ? { next } : {}),
  };
}

function decodeRecords(
  rows: readonly unknown[],
  readShown: ReadShown | undefined,
): Pick<DecodedPage, 'records' | 'shown'> {
  const shown = new Set<Shown>();
  // Rows of which none has a domain are no records of websites.
  const mayLackDomains = rows.some(hasDomain);
  const records = rows.map((row, index) => {
    try {
      if (mayLackDomains && !hasDomain(row)) return unnamed(row);
      const record = decodeRecord(row, undefined, readShown);
      shown.add(record.shown);
      return record.website;
    } catch (error) {
      throw error instanceof ShapeError ? error.below([index]) : error;
    }
  });
  return { records, shown };
}

function hasDomain(row: unknown): boolean {
  return isObject(row) && typeof row.domain === 'string' && row.domain !== '';
}

/** A record whose domain cannot be read. Throws a ShapeError where it has no id either, or shows no domain at all. */
function unnamed(row: unknown): Website {
  if (!isObject(row)) throw new ShapeError([], 'expected a record');
  if (row.domain === undefined) throw new ShapeError(['domain'], 'expected text');
  const id = member(row, 'id', answeredId);
  return { id, domain: '', settings: {}, unreadable: { domain: shapeOf(row.domain) } };
}

/** Members that accompany records and are none: an empty list of errors is not an empty list of records. */
const COMPANIONS = /^(?:errors?|messages?|warnings?|links|meta)$/;

function onlyKey(raw: Record<string, unknown>, test: (value: unknown) => boolean): string | undefined {
  const keys = Object.keys(raw).filter((key) => test(raw[key]) && !COMPANIONS.test(key));
  return keys.length === 1 ? keys[0] : undefined;
}

function totalOf(raw: unknown): Pick<DecodedPage, 'total'> {
  const value = typeof raw === 'string' && /^\d+$/.test(raw) ? Number(raw) : raw;
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? { total: value } : {};
}
