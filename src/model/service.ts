/** The service for the rest of the program; `client/` implements it over HTTP. */
import { type ErrorCode, type ErrorDetails, WebsitesError } from './errors.ts';
import type { FieldName } from './field-table.ts';
import type { Value } from './field-types.ts';
import type { Secret } from './secret.ts';
import type { Current, SharedId, Website } from './website.ts';

/** The values of a write, secrets resolved. A missing field is not sent; `null` clears. */
export type WriteValues = { readonly [Name in FieldName]?: Value | Secret };

export type Listing = Required<Pick<Current, 'websites' | 'complete' | 'reason' | 'readAt'>> &
  Pick<Current, 'unnamed'> & {
    /** IDs that were shown for several websites; then the list is not complete and has none of these. */
    readonly sharedIds?: readonly SharedId[];
  };

/** The first page of the list, newest records first. */
export interface FirstPage {
  readonly websites: readonly Website[];
  readonly isFalling: boolean;
  readonly total: number | undefined;
  /** The page itself shows that no other follows. */
  readonly isLast: boolean;
  readonly readAt: number;
  /** Lists all records without another request for this page. */
  rest(): Promise<Listing>;
}

export interface Found {
  /** Records of the domain, or of its www variant that may be the same record. */
  readonly websites: readonly Website[];
  /** True if a domain that is not among `websites` is known to have no record. */
  readonly proven: boolean;
  /** IDs that it showed for several websites; then no record of the domain is known. */
  readonly sharedIds?: readonly SharedId[];
}

export interface ReadProgress {
  /** `list`: page by page. `find`: domain by domain, without a complete list. `read`: record by record. */
  readonly what: 'list' | 'find' | 'read';
  readonly done: number;
  readonly total?: number | undefined;
  /** Nothing more follows, after success or failure. */
  readonly ended: boolean;
}

export type OnRead = (progress: ReadProgress) => void;

/** Runs right before each request of a write, which may have waited. Rejects if the write may not be sent. */
export type Permit = () => Promise<void> | undefined;

export interface WebsiteService {
  list(): Promise<Listing>;
  /** Reads matches on at most `mostPages` pages; with more pages, the response is not complete. */
  find(domain: string, mostPages?: number): Promise<Found>;
  read(id: string): Promise<Website | undefined>;
  /**
   * Sends one create and never repeats it if it may have been applied. Then the `outcome` of the error is
   * 'unknown' or 'ended', and the caller looks the domain up (decision: "A create is never sent twice
   * blindly"). Returns the record as the response shows it.
   */
  create(domain: string, values: WriteValues, permit?: Permit): Promise<Website>;
  /** Returns the record as the response shows it, or 'vanished' without one (404). */
  update(id: string, domain: string, values: WriteValues, permit?: Permit): Promise<Website | 'vanished'>;
  /** A record that no longer exists counts as deleted. */
  remove(id: string, domain: string, permit?: Permit): Promise<void>;
  /** Traits of this service that its responses so far have shown. */
  readonly traits: Traits;
}

export interface Traits {
  /** The name of each field with several wire names, once a response showed it. */
  readonly wireNames: { readonly [Name in FieldName]?: string };
  /** Fields seen in a list, and in a response for one record. */
  readonly listed: ReadonlySet<FieldName>;
  readonly read: ReadonlySet<FieldName>;
  /** Fields that a response for one record showed as empty: such responses do not omit empty values. */
  readonly readEmpty: ReadonlySet<FieldName>;
  /** Fields that a write of this run set: a reading that omits one never shows it. */
  readonly sent: ReadonlySet<FieldName>;
}

/** `refused`: not carried out. `ended`: it may have been, but no longer runs. `unknown`: it may still run. */
export type RequestOutcome = 'refused' | 'ended' | 'unknown';

/** The cause of a failure: this one record (a 422, a 404), or the service as a whole. */
export type Blame = 'record' | 'service';

export interface ServiceErrorDetails extends ErrorDetails {
  readonly outcome: RequestOutcome;
  readonly blame: Blame;
  readonly status?: number | undefined;
  readonly attempts: number;
  /** Time of the last request, by the monotonic clock. */
  readonly sentAt?: number | undefined;
  /** The service's words by wire field, from a 422. */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  /** The service asked for a wait that is too long: later requests would get the same response. */
  readonly asksTooMuch?: boolean;
}

export class ServiceError extends WebsitesError {
  readonly outcome: RequestOutcome;
  readonly blame: Blame;
  readonly status: number | undefined;
  readonly attempts: number;
  readonly sentAt: number | undefined;
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly asksTooMuch: boolean;

  constructor(code: ErrorCode, message: string, details: ServiceErrorDetails) {
    super(code, message, details);
    this.outcome = details.outcome;
    this.blame = details.blame;
    this.status = details.status;
    this.attempts = details.attempts;
    this.sentAt = details.sentAt;
    this.fields = details.fields ?? {};
    this.asksTooMuch = details.asksTooMuch ?? false;
  }
}

export interface RequestFacts {
  readonly at: number;
  readonly attempt: number;
  readonly waitedMs: number;
  readonly method: string;
  readonly url: string;
  readonly ms: number;
  readonly status?: number;
  readonly reason?: string;
  readonly pace: Pace;
}

export interface Pace {
  /** The service asked to slow down (429, 503). */
  readonly throttled: boolean;
  /** Minimum wait before the next request, in milliseconds. */
  readonly waitMs?: number | undefined;
  /** Requests left in the window, the window's size, and the time to its end in milliseconds. */
  readonly remaining?: number | undefined;
  readonly limit?: number | undefined;
  readonly resetMs?: number | undefined;
}

export interface LimiterState {
  readonly width: number;
  /** Time until the next request may start, in milliseconds; 0 if nothing holds it. */
  readonly heldForMs: number;
  readonly requests: number;
  /** The rate of the service's window; undefined without a limit. */
  readonly requestsPerSecond: number | undefined;
}

/** Pages of matches for one domain; with more of them, the search does not filter. */
export const MAX_MATCH_PAGES = 2;

export const NOT_SENT = { outcome: 'refused', blame: 'service', attempts: 0 } as const;
