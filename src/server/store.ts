/** The store as the service sees it: accounts, their keys, and their records. */
import type { FieldName } from '../model/field-table.ts';

/** What a column of a record holds. */
export type StoredCell = string | number | null;

/** A record's settings as they are kept: the password hashed, times as instants, lists as they were sent. */
export type StoredSettings = Readonly<Record<FieldName, StoredCell>>;

export interface StoredWebsite {
  readonly id: number;
  readonly domain: string;
  readonly settings: StoredSettings;
  /** Instants (model/instant.ts). */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Which records a list holds, and in which order. */
export interface ListedRecord {
  /** A part of the domain, in lower case. */
  readonly search?: string;
  readonly favorite?: boolean;
  readonly sortBy: 'id' | 'domain';
  readonly descending: boolean;
}

/** A stretch of a list: at most `limit` records from the one at `offset` (from 0) on. */
export interface Stretch {
  readonly offset: number;
  readonly limit: number;
}

export interface ListedPage {
  /** The records of the whole list. */
  readonly total: number;
  readonly websites: readonly StoredWebsite[];
}

/** A key to be let in: its digest, whose it is, and what it is called, if anything. */
export interface NewKey {
  readonly digest: string;
  readonly account: number;
  readonly name: string | null;
  /** An instant. */
  readonly createdAt: string;
}

/** A key that opens its account. */
export interface StoredKey {
  readonly id: number;
  readonly digest: string;
  readonly account: number;
  /** Unique among the keys of its account; `null` for one that was merely handed to the service. */
  readonly name: string | null;
  /** An instant; `null` where the database is older than the record of it. */
  readonly createdAt: string | null;
  /** The day of its last use in UTC, `YYYY-MM-DD`; `null`: never, as far as is known. */
  readonly lastUsed: string | null;
}

/** The requests of one key from the first of them until `endsAt`, in milliseconds since 1970. */
export interface RequestWindow {
  readonly hits: number;
  readonly endsAt: number;
}

/** The account that a key joins unless another is named. It is made with the database. */
export const DEFAULT_ACCOUNT = 1;

/** What to do about an error whose `statusCode` is 503. */
export const BUSY_REMEDY = 'Something else keeps it busy: end that, or try again.';

/**
 * Every write that has resolved survives the end of the process, however it ends. An operation that
 * rejects with an error whose `statusCode` is 503 was not carried out, and may go better later; with
 * 504 it is not known whether it was.
 */
export interface Store {
  /** Random, made with the database, never changed: the identity of this service. */
  readonly id: string;
  /** Returns the number of a new account, without keys and records. */
  addAccount(): Promise<number>;
  /**
   * Lets a key in. One that is let in already stays as it is; one that was revoked stays out; a name
   * belongs to one key of an account at a time.
   */
  addKey(key: NewKey): Promise<StoredKey | 'revoked' | 'name-taken'>;
  /** The key of this digest, unless it was revoked. */
  findKey(digest: string): Promise<StoredKey | undefined>;
  /** The keys of an account that are not revoked, by id. */
  listKeys(account: number): Promise<readonly StoredKey[]>;
  /** Shuts a key out for ever, for every process at once; false where there is no such key. */
  revokeKey(account: number, id: number, now: string): Promise<boolean>;
  /** Notes that the key was used on `day`. */
  markUsed(id: number, day: string): Promise<void>;
  /**
   * Counts a request of the key at `now`; a window lasts `length`. All in milliseconds. A window that ends later than
   * two lengths from now was begun before the clock was put back, and is over.
   */
  countRequest(id: number, now: number, length: number): Promise<RequestWindow>;
  /** The records of a list and their number, both of one state of the database. */
  list(account: number, listed: ListedRecord, stretch: Stretch): Promise<ListedPage>;
  read(account: number, id: number): Promise<StoredWebsite | undefined>;
  /** 'taken' when any account has a record of this domain; of several at once, one alone succeeds. */
  create(
    account: number,
    domain: string,
    settings: StoredSettings,
    now: string,
  ): Promise<StoredWebsite | 'taken'>;
  /**
   * Replaces the settings by what `decide` makes of those kept; nobody writes in between. What it
   * returns as `refused` is handed back and nothing is written. `undefined`: no such record.
   */
  update<Refused>(
    account: number,
    id: number,
    decide: (current: StoredSettings) => { settings: StoredSettings } | { refused: Refused },
    now: string,
  ): Promise<StoredWebsite | { refused: Refused } | undefined>;
  /** Whether there was such a record. Ids are not used again. */
  remove(account: number, id: number): Promise<boolean>;
  /** Rejects when the database does not answer. */
  check(): Promise<void>;
  /** Carries out what waits, and closes the database. */
  close(): Promise<void>;
}
