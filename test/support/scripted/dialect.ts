import type { StoredRecord } from './store.ts';

/** Differences between deployments of the interface; each member can be set alone. */
export interface Dialect {
  /** The sub-folder of the service, such as `/stats`. */
  readonly prefix: string;
  /** The member with the list: `data`, another one, or none (''). */
  readonly envelope: string;
  /** The member with one record: `data`, another one, or none (''). */
  readonly one: string;
  /**
   * The way to further pages: a total, next links without a total, cursors, nothing (page numbers work, the answer
   * shows none), or `ignored`: every page is the first one.
   */
  readonly paging: 'total' | 'links' | 'cursor' | 'numbers' | 'ignored';
  readonly defaultPage: number;
  /** The maximum of `per_page`. */
  readonly largestPage: number;
  /** Query parameters that are answered with a 422. */
  readonly refusedParameters: readonly string[];
  /** Scheme and host of links behind a proxy; such links keep only their own parameter. */
  readonly linksTo: string | undefined;
  readonly search: 'substring' | 'exact' | 'ignored';
  /** Values that lists and searches show instead of the stored ones. */
  readonly listedAs:
    | ((records: readonly StoredRecord[], isSearch: boolean) => readonly StoredRecord[])
    | undefined;
  /** Fields missing in a list, and in a record read by ID. */
  readonly hiddenInList: readonly string[];
  readonly hiddenInRead: readonly string[];
  /** Fields that are null: shown, shown in lists alone, or omitted. */
  readonly nulls: 'shown' | 'listed' | 'left out';
  /** Values that answers show instead of a record's own, by its domain. */
  readonly odd: Readonly<Record<string, object>>;
  /** Fields that writes silently ignore. */
  readonly deaf: readonly string[];
  readonly ids: 'number' | 'string';
  /** A deleted newest record passes its ID to the next one. */
  readonly reusesIds: boolean;
  readonly numbers: 'number' | 'string' | 'boolean';
  readonly lineEnd: '\n' | '\r\n';
  readonly times: 'blank' | 'micro' | 'offset';
  readonly favorite: 'favorited_at' | 'favorite';
  /** The effect of an update on fields that it omits: it keeps them, or resets all or some to `fresh`. */
  readonly put: 'merge' | 'replace' | { readonly resets: readonly string[] };
  /** Unusual defaults of a new record. */
  readonly fresh: Readonly<Record<string, number | string | null>>;
  /** Times are read in a zone this many hours ahead of UTC, and shown in UTC. */
  readonly zoneHours: number;
  readonly www: 'strip' | 'keep';
  readonly letters: 'lower' | 'keep';
  /** A second record for a domain is refused. */
  readonly unique: boolean;
  /** Domains of another account: taken, and never shown. */
  readonly takenElsewhere: readonly string[];
  readonly errors: 'fields' | 'stock' | 'text' | 'html';
  /** The answer to a wrong key: a 401, or a redirect to a login page. */
  readonly unauthorised: 'json' | 'login';
  /** The answer to an update: the record, its ID, nothing, or the record as it was before. */
  readonly writeAnswer: 'record' | 'id' | 'empty' | 'old';
  /** Milliseconds for which a list shows the state before a write. */
  readonly lagMs: number;
  /** Milliseconds by which the clock of the `Date` header is wrong. */
  readonly clockSkewMs: number;
  /** Requests for each fixed window of time. */
  readonly rateLimit: RateLimit | undefined;
  /** Redirects a request instead of answering it. */
  readonly redirect: ((request: Redirectable) => Redirection | undefined) | undefined;
}

export interface RateLimit {
  readonly requests: number;
  readonly windowMs: number;
  readonly headers: RateHeaders;
}

/** Header families that show a limit. */
export type RateHeaders = 'laravel' | 'plain' | 'date' | 'none';

interface Redirectable {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly method: string;
  /** Includes the query. */
  readonly target: string;
}

interface Redirection {
  readonly status: number;
  readonly location: string;
}

/** The usual behavior of published deployments. */
export const USUAL: Dialect = {
  prefix: '',
  envelope: 'data',
  one: 'data',
  paging: 'total',
  defaultPage: 50,
  largestPage: 100,
  refusedParameters: [],
  linksTo: undefined,
  odd: {},
  search: 'substring',
  listedAs: undefined,
  hiddenInList: [],
  hiddenInRead: [],
  nulls: 'shown',
  deaf: [],
  ids: 'number',
  numbers: 'number',
  lineEnd: '\n',
  times: 'blank',
  favorite: 'favorited_at',
  put: 'merge',
  fresh: {},
  zoneHours: 0,
  www: 'strip',
  letters: 'lower',
  unique: true,
  reusesIds: false,
  takenElsewhere: [],
  errors: 'fields',
  unauthorised: 'json',
  writeAnswer: 'record',
  lagMs: 0,
  clockSkewMs: 0,
  rateLimit: undefined,
  redirect: undefined,
};
