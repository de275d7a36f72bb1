import type { Place } from './errors.ts';

/** Reasons to skip a line, in words that follow a number. Reasons that need an action come first. */
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
  /** The domain, or the text that should be a domain. Empty if there is no text. */
  readonly subject: string;
  readonly message: string;
}

export type Unchecked = Omit<Skipped, 'reason'>;

export interface ImportReport {
  readonly into: string;
  /** False for a preview, after a refusal, and if there is no new record. */
  readonly written: boolean;
  /** True if nothing was written because lines were skipped and `--strict` does not allow that. */
  readonly refused: boolean;
  /** Command to run next. `null` if that depends on skipped lines or on the preview. */
  readonly next: string | null;
  /** Environment variable to set first, if the service URL is not known. */
  readonly unset?: string | undefined;
  readonly added: number;
  readonly skipped: readonly Skipped[];
  readonly readings: readonly ListReading[];
  /** Set only with `--check-dns`: records that were added although their DNS query failed. */
  readonly not_checked?: readonly Unchecked[] | undefined;
}

export interface ListReading {
  readonly file: string;
  readonly list: string | undefined;
  readonly taken: readonly MappedColumn[];
  /** Line number of the header, if lines above it were skipped. */
  readonly header?: number | undefined;
  readonly encoding?: string | undefined;
  /** Ignored columns that have the name of a setting and no valid value of it. */
  readonly misnamed: readonly IgnoredColumn[];
  /** Columns whose name is not a key. */
  readonly unknown: readonly string[];
}

interface MappedColumn {
  readonly column: string;
  readonly key: string;
}

export interface IgnoredColumn extends MappedColumn {
  /** Continues a sentence about a value of the key. */
  readonly expected: string;
  readonly values: readonly { readonly value: string; readonly count: number }[];
}
