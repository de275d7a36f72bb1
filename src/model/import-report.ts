import type { Place } from './errors.ts';

export const IMPORT_FORMAT = 'websites.import/1';

/** Why a line is not taken, in words for a count of them; what somebody has to act on comes first. */
export const SKIP_REASONS = {
  invalid: 'not valid',
  not_a_domain: 'not a domain',
  ip_address: 'IP address',
  public_suffix: 'public suffix alone',
  no_dns: 'no address in DNS',
  ignored: 'ignored',
  www_variant: 'www variant',
  duplicate: 'duplicate',
  declared: 'already declared',
} as const;

export type SkipReason = keyof typeof SKIP_REASONS;

export interface Skipped {
  readonly place: Place;
  readonly reason: SkipReason;
  /** The domain, or what stands there for one; empty where nothing does. */
  readonly subject: string;
  readonly message: string;
}

export type Unchecked = Omit<Skipped, 'reason'>;

export interface ImportReport {
  readonly into: string;
  /** False where it was only looked at, or nothing was to be written. */
  readonly written: boolean;
  /** Nothing was written because lines were skipped, and none was to be. */
  readonly refused: boolean;
  /** The command to run now; `null` where that hangs on what was skipped, or shown. */
  readonly next: string | null;
  /** What is to be set before, as it is not known where the service is. */
  readonly unset?: string | undefined;
  readonly added: number;
  readonly skipped: readonly Skipped[];
  readonly readings: readonly Reading[];
  readonly unknownColumns: readonly ListColumns[];
  /** Columns that were taken for settings, of lists that have more lines that are not valid than were taken. */
  readonly doubtfulColumns: readonly ListColumns[];
  /** Only with `--check-dns`: records that are added although their look-up failed. */
  readonly notChecked?: readonly Unchecked[] | undefined;
}

export interface ListColumns {
  readonly file: string;
  readonly names: readonly string[];
}

export interface Reading {
  readonly file: string;
  readonly list: string | undefined;
  readonly taken: readonly Column[];
  /** The line of the header, if lines above it were skipped. */
  readonly header?: number | undefined;
  readonly encoding?: string | undefined;
  /** Columns that are called as a setting, and ignored: none of their values is one of it. */
  readonly misnamed: readonly IgnoredColumn[];
}

interface Column {
  readonly column: string;
  readonly key: string;
}

export interface IgnoredColumn extends Column {
  /** Ends a sentence about a value of the key. */
  readonly expected: string;
  readonly values: readonly { readonly value: string; readonly count: number }[];
}
