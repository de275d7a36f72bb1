import type { ActingRecord } from './store.ts';

/** The ways in which deployments of the interface differ; each member can be set on its own. */
export interface Dialect {
  /** The sub-folder that the service lives in, such as `/stats`. */
  readonly prefix: string;
  /** What holds the list: `data`, another member, or nothing at all (''). */
  readonly envelope: string;
  /** What holds one record, as above. */
  readonly one: string;
  /**
   * How further pages are told: by a total, by next links without one, by cursors, not at all (numbers are
   * taken, nothing is said), or `ignored`: the first page is served for ever.
   */
  readonly paging: 'total' | 'links' | 'cursor' | 'numbers' | 'ignored';
  readonly defaultPage: number;
  /** `per_page` is cut down to this. */
  readonly largestPage: number;
  /** Query parameters that are answered with a 422. */
  readonly refusedParameters: readonly string[];
  /** Scheme and host of links, where a proxy hides the real ones; such links drop all but their own parameter. */
  readonly linksTo: string | undefined;
  readonly search: 'substring' | 'exact' | 'ignored';
  /** What lists, searches among them, show of the records in place of what is stored. */
  readonly listedAs:
    | ((records: readonly ActingRecord[], isSearch: boolean) => readonly ActingRecord[])
    | undefined;
  /** Fields that a list, and a record read by itself, do not show. */
  readonly hiddenInList: readonly string[];
  readonly hiddenInRead: readonly string[];
  /** How a field that is null is shown: so, in lists alone, or not at all. */
  readonly nulls: 'shown' | 'listed' | 'left out';
  /** What answers show of a record, by its domain, in place of what they should. */
  readonly odd: Readonly<Record<string, object>>;
  /** Fields that writes silently leave as they are. */
  readonly deaf: readonly string[];
  readonly ids: 'number' | 'string';
  /** The ID of the newest record, once that is gone, is given to the next one. */
  readonly reusesIds: boolean;
  readonly numbers: 'number' | 'string' | 'boolean';
  readonly lineEnd: '\n' | '\r\n';
  readonly times: 'blank' | 'micro' | 'offset';
  readonly favorite: 'favorited_at' | 'favorite';
  /** What an update makes of fields that it omits: it keeps them, or resets all, or some, to what is `fresh`. */
  readonly put: 'merge' | 'replace' | { readonly resets: readonly string[] };
  /** What a new record holds, where that is not the usual. */
  readonly fresh: Readonly<Record<string, number | string | null>>;
  /** Times are taken to be of a zone that is so many hours ahead of UTC, and shown in UTC. */
  readonly zoneHours: number;
  readonly www: 'strip' | 'keep';
  readonly letters: 'lower' | 'keep';
  /** Whether a second record for a domain is refused. */
  readonly unique: boolean;
  /** Domains that another account holds: taken, and never shown. */
  readonly takenElsewhere: readonly string[];
  readonly errors: 'fields' | 'stock' | 'text' | 'html';
  /** What a bad key meets with: a 401, or a redirect to a login page. */
  readonly unauthorised: 'json' | 'login';
  /** What an update answers: the record, its id, nothing, or the record as it was before. */
  readonly writeAnswer: 'record' | 'id' | 'empty' | 'old';
  /** How long a list goes on showing what was before a write, in milliseconds. */
  readonly lagMs: number;
  /** How far the clock of its `Date` header is off, in milliseconds. */
  readonly clockSkewMs: number;
  /** Requests for each window of time; a fixed window, as most have. */
  readonly rateLimit: RateLimit | undefined;
  /** Where a request is redirected to instead of being answered. */
  readonly redirect: ((request: Redirectable) => Redirection | undefined) | undefined;
}

export interface RateLimit {
  readonly requests: number;
  readonly windowMs: number;
  readonly headers: RateHeaders;
}

/** The header families by which services tell their limits. */
export type RateHeaders = 'laravel' | 'plain' | 'date' | 'none';

interface Redirectable {
  readonly scheme: 'http' | 'https';
  readonly host: string;
  readonly method: string;
  /** With its query. */
  readonly target: string;
}

interface Redirection {
  readonly status: number;
  readonly location: string;
}

/** What most published deployments do. */
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
