/**
 * The service as the rest of the program sees it: five operations and a look-up. `client/` implements
 * it over HTTP; whoever plans or applies knows no more of the wire than this.
 */
import { type ErrorCode, type ErrorDetails, WebsitesError } from './errors.ts';
import type { FieldName } from './field-table.ts';
import type { Value } from './field-types.ts';
import type { Secret } from './secret.ts';
import type { Current, SharedId, Website } from './website.ts';

/** The values of a write, secrets resolved. A missing field is not sent; `null` clears. */
export type WriteValues = { readonly [Name in FieldName]?: Value | Secret };

export type Listing = Required<Pick<Current, 'websites' | 'complete' | 'reason' | 'readAt'>> &
  Pick<Current, 'unnamed'> & {
    /** Ids that were shown for several websites, if any were: then it is not complete, and has none of these. */
    readonly sharedIds?: readonly SharedId[];
  };

/** The first page of the list, newest records first. */
export interface FirstPage {
  readonly websites: readonly Website[];
  /** Whether the IDs fall from record to record. */
  readonly isFalling: boolean;
  readonly total: number | undefined;
  /** The page itself says that no other follows. */
  readonly isLast: boolean;
  readonly readAt: number;
  /** All records; this page is not asked for again. */
  rest(): Promise<Listing>;
}

export interface Found {
  /** The records whose domain is the one asked for, or the other name that its record may go by. */
  readonly websites: readonly Website[];
  /** True when a domain that is not among `websites` is known to have no record. */
  readonly proven: boolean;
  /** Ids that it showed for several websites, if it did: then nothing is known. */
  readonly sharedIds?: readonly SharedId[];
}

export interface ReadProgress {
  /** `list`: page by page. `find`: domain by domain, for want of a whole list. `read`: record by record. */
  readonly what: 'list' | 'find' | 'read';
  readonly done: number;
  readonly total?: number | undefined;
  /** Nothing more follows, whether it came to its end or failed. */
  readonly ended: boolean;
}

export type OnRead = (progress: ReadProgress) => void;

/**
 * Whether a write may be sent: asked right before each of its requests, which may have waited long for their turn.
 * Rejects with a ServiceError where it may not; nothing where that needs no look.
 */
export type Permit = () => Promise<void> | undefined;

export interface WebsiteService {
  list(): Promise<Listing>;
  /** Matches on more pages than `mostPages` are not read: then the answer is not complete. */
  find(domain: string, mostPages?: number): Promise<Found>;
  /** The record, or `undefined` where there is none (404). */
  read(id: string): Promise<Website | undefined>;
  /**
   * Sends one create and never repeats it where it may have been carried out: then the error's `outcome` is 'unknown'
   * or 'ended' and the caller looks the domain up (decision: "A create is never sent twice blindly"). Returns the
   * record as the answer shows it.
   */
  create(domain: string, values: WriteValues, permit?: Permit): Promise<Website>;
  /** Returns the record as the answer shows it, or 'vanished' where there is none (404). */
  update(id: string, domain: string, values: WriteValues, permit?: Permit): Promise<Website | 'vanished'>;
  /** A record that is not there any more counts as deleted. */
  remove(id: string, domain: string, permit?: Permit): Promise<void>;
  /** What the answers so far have shown of this service's ways. */
  readonly traits: Traits;
}

export interface Traits {
  /** The name that each field with several wire names goes by here, once an answer showed it. */
  readonly wireNames: { readonly [Name in FieldName]?: string };
  /** Fields seen in a list, and in an answer for one record. */
  readonly listed: ReadonlySet<FieldName>;
  readonly read: ReadonlySet<FieldName>;
  /** Fields that an answer for one record has shown to hold nothing: such answers leave none out for that. */
  readonly readEmpty: ReadonlySet<FieldName>;
  /** Fields that a write of this run gave a value: a reading that leaves one out shows it nowhere. */
  readonly sent: ReadonlySet<FieldName>;
}

/**
 * Whether a failed request was carried out. `refused`: it was not. `ended`: the service failed and
 * is no longer at work on it, it may have been carried out. `unknown`: it may still be at work.
 */
export type Outcome = 'refused' | 'ended' | 'unknown';

/** Whose failure it was: of this one record (a 422, a 404), or of the service as a whole. */
export type Blame = 'record' | 'service';

export interface ServiceErrorDetails extends ErrorDetails {
  readonly outcome: Outcome;
  readonly blame: Blame;
  readonly status?: number | undefined;
  readonly attempts: number;
  /** When the last request was sent, by the monotonic clock. */
  readonly sentAt?: number | undefined;
  /** The service's words by wire field, from a 422. */
  readonly fields?: Readonly<Record<string, readonly string[]>>;
  /** The service asked for a wait that is too long: whatever follows would meet the same. */
  readonly asksTooMuch?: boolean;
}

/** An operation that the service refused or failed, told in the service's own words. */
export class ServiceError extends WebsitesError {
  readonly outcome: Outcome;
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
  /** Wait this long before the next request, in milliseconds. */
  readonly waitMs?: number | undefined;
  /** Requests left in the window, the window's size, and when it ends, in milliseconds from now. */
  readonly remaining?: number | undefined;
  readonly limit?: number | undefined;
  readonly resetMs?: number | undefined;
}

export interface LimiterState {
  readonly width: number;
  /** How long no request starts yet, in milliseconds; 0 if nothing holds it. */
  readonly heldForMs: number;
  readonly requests: number;
  /** The rate of the service's window; undefined if it names no limit. */
  readonly requestsPerSecond: number | undefined;
}

/** Of matches for one domain; on more pages, the search does not narrow anything down. */
export const MOST_MATCH_PAGES = 2;
