/** Interface of the service for the rest of the program. `client/` implements it over HTTP. */
import { type ErrorCode, type ErrorDetails, WebsitesError } from './errors.ts';
import type { FieldName } from './field-table.ts';
import type { Value } from './field-types.ts';
import type { Secret } from './secret.ts';
import type { Current, SharedId, Website } from './website.ts';

/** Values of a write, with resolved secrets. A missing field is not sent. `null` clears a field. */
export type WriteValues = { readonly [Name in FieldName]?: Value | Secret };

export type Listing = Required<Pick<Current, 'websites' | 'complete' | 'reason' | 'readAt'>> &
  Pick<Current, 'unnamed'> & {
    /** IDs that were shown for several websites. If there are any, the list is incomplete and contains none of these. */
    readonly sharedIds: readonly SharedId[];
  };

/** The first page of the list, with the newest records first. */
export interface FirstPage {
  readonly websites: readonly Website[];
  readonly isFalling: boolean;
  readonly total: number | undefined;
  /** True if the page shows that it is the last one. */
  readonly isLast: boolean;
  readonly readAt: number;
  /** Lists all records without reading this page again. */
  rest(): Promise<Listing>;
}

export interface Found {
  /** Records of the domain or of its www variant. */
  readonly websites: readonly Website[];
  /** True if it is certain that a domain has no record unless `websites` contains it. */
  readonly isCertain: boolean;
  /** IDs that were shown for several websites. If there are any, no record of the domain is known. */
  readonly sharedIds: readonly SharedId[];
}

export interface ReadProgress {
  /** `list`: page by page. `find`: domain by domain. `read`: record by record. */
  readonly what: 'list' | 'find' | 'read';
  readonly done: number;
  readonly total?: number | undefined;
  /** True for the last call, after success or failure. */
  readonly ended: boolean;
}

export type OnRead = (progress: ReadProgress) => void;

/** Called right before each request of a write. Rejects if the write must not be sent, for example after a stop. */
export type Permit = () => Promise<void> | undefined;

export interface WebsiteService {
  list(): Promise<Listing>;
  /** Reads matches on at most `mostPages` pages. If there are more pages, the response is not complete. */
  find(domain: string, mostPages?: number): Promise<Found>;
  read(id: string): Promise<Website | undefined>;
  /**
   * Sends one create. Never repeats it if it may have been applied: then the `outcome` of the error is 'unknown' or
   * 'ended', and the caller must look the domain up (decision: "A create is never sent twice blindly"). Returns the
   * record in the response.
   */
  create(domain: string, values: WriteValues, permit?: Permit): Promise<Website>;
  /** Returns the record in the response, or 'vanished' if the record does not exist (404). */
  update(id: string, domain: string, values: WriteValues, permit?: Permit): Promise<Website | 'vanished'>;
  /** Resolves also if the record no longer exists. */
  remove(id: string, domain: string, permit?: Permit): Promise<void>;
  /** Traits of this service, as far as responses have shown them. */
  readonly traits: Traits;
}

export interface Traits {
  /** The name that the service uses for each field that has several, once a response showed it. */
  readonly wireNames: { readonly [Name in FieldName]?: string };
  /** `listed`: fields that a list has shown. `read`: fields that a single record has shown. */
  readonly listed: ReadonlySet<FieldName>;
  readonly read: ReadonlySet<FieldName>;
  /** Fields that a single record has shown as empty. They show that the service does not omit empty values. */
  readonly readEmpty: ReadonlySet<FieldName>;
  /** Fields that this run has set. If no reading shows such a field, the service never shows it. */
  readonly sent: ReadonlySet<FieldName>;
}

/** `refused`: not carried out. `ended`: possibly carried out, and ended. `unknown`: possibly still in progress. */
export type RequestOutcome = 'refused' | 'ended' | 'unknown';

/** Cause of a failure: this one record (422, 404), or the service as a whole. */
export type Blame = 'record' | 'service';

export interface ServiceErrorDetails extends ErrorDetails {
  readonly outcome: RequestOutcome;
  readonly blame: Blame;
  readonly status?: number | undefined;
  readonly attempts: number;
  /** Time of the last request by the monotonic clock. */
  readonly sentAt?: number | undefined;
  /** Messages of the service by field name, from a 422 response. */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  /** True if the service asked for a wait that is too long. Later requests would get the same response. */
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
  /** True if the service asked to slow down (429, 503). */
  readonly throttled: boolean;
  /** Minimum wait in milliseconds before the next request. */
  readonly waitMs?: number | undefined;
  /** `remaining`: requests left in the rate window. `limit`: its size. `resetMs`: milliseconds to its end. */
  readonly remaining?: number | undefined;
  readonly limit?: number | undefined;
  readonly resetMs?: number | undefined;
}

export interface LimiterState {
  readonly width: number;
  /** Milliseconds until the next request may start; 0 if it may start now. */
  readonly heldForMs: number;
  readonly requests: number;
  /** Requests per second in the rate window; undefined if there is no limit. */
  readonly requestsPerSecond: number | undefined;
}

/** Maximum number of pages that are read for one domain. If there are more, the search does not filter. */
export const MAX_MATCH_PAGES = 2;

export const NOT_SENT = { outcome: 'refused', blame: 'service', attempts: 0 } as const;
