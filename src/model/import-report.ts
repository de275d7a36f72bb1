import type { Place } from './errors.ts';

/** Reasons to skip a line, in words that follow a count; reasons to act on come first. */
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
  /** The domain, or the text found instead; empty without any. */
  readonly subject: string;
  readonly message: string;
}

export type Unchecked = Omit<Skipped, 'reason'>;

export interface ImportReport {
  readonly into: string;
  /** False if nothing was written: a preview, or no new record. */
  readonly written: boolean;
  /** Nothing was written because lines were skipped and all of them are required. */
  readonly refused: boolean;
  /** The command to run next; `null` if it depends on skipped lines or the preview. */
  readonly next: string | null;
  /** The variable to set first, as the service address is not known. */
  readonly unset?: string | undefined;
  readonly added: number;
  readonly skipped: readonly Skipped[];
  readonly readings: readonly ListReading[];
  /** Only with `--check-dns`: records that are added although their look-up failed. */
  readonly not_checked?: readonly Unchecked[] | undefined;
}

export interface ListReading {
  readonly file: string;
  readonly list: string | undefined;
  readonly taken: readonly Column[];
  /** The line of the header, if lines above it were skipped. */
  readonly header?: number | undefined;
  readonly encoding?: string | undefined;
  /** Ignored columns that are named like a setting, but contain no value of it. */
  readonly misnamed: readonly IgnoredColumn[];
  /** Columns that match no key. */
  readonly unknown: readonly string[];
  /** Columns read as settings, in a list that has more invalid lines than accepted ones. */
  readonly doubtful: readonly string[];
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
