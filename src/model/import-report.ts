/** What an import makes of its lists. */
import type { Place } from './errors.ts';

export const IMPORT_FORMAT = 'websites.import/1';

/** Why a line is not taken, in words for a count of them; the order is the one in which they are counted. */
export const SKIP_REASONS = {
  duplicate: 'duplicate',
  www_variant: 'www variant',
  declared: 'already there',
  ignored: 'ignored',
  not_a_domain: 'not a domain',
  public_suffix: 'public suffix alone',
  ip_address: 'IP address',
  invalid: 'not valid',
} as const;

type SkipReason = keyof typeof SKIP_REASONS;

export interface Skipped {
  readonly place: Place;
  readonly reason: SkipReason;
  /** The domain, or what stands there for one; empty where nothing does. */
  readonly subject: string;
  /** One sentence. */
  readonly message: string;
}

export interface ImportReport {
  /** The file that the records go to. */
  readonly into: string;
  /** False where it was only looked at, or nothing was to be written. */
  readonly written: boolean;
  /** Nothing was written because lines were skipped, and none was to be. */
  readonly refused: boolean;
  /** How many records were, or would be, added. */
  readonly added: number;
  /** In the order of the lists. */
  readonly skipped: readonly Skipped[];
  /** Columns that mean no setting, by list. */
  readonly unknownColumns: readonly ListColumns[];
  /** Columns that were taken for settings, of lists that have more lines that are not valid than were taken. */
  readonly doubtfulColumns: readonly ListColumns[];
}

/** Columns of a list, by name. */
export interface ListColumns {
  readonly file: string;
  readonly names: readonly string[];
}
