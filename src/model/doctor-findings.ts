/** What a service does where the interface is silent, as found out by reading alone: plain data. */
import type { FieldName } from './field-table.ts';

export interface Findings {
  /** Where the service answers, redirects followed. */
  readonly base_url: string;
  readonly redirects: readonly { readonly status: number; readonly from: string; readonly to: string }[];
  readonly list: ListFindings;
  /** Whether a search for a record's domain finds it; null when no record to search for. */
  readonly search_finds: boolean | null;
  readonly fields: readonly { readonly name: FieldName; readonly shown: ShownIn }[];
  readonly forms: ValueForms;
  /** Whether records tell that a password is set; null when there is no record. */
  readonly tells_password_set: boolean | null;
  /** The name that the favorite goes by; null when no answer showed it. */
  readonly favorite: string | null;
  readonly www: { readonly with: number; readonly without: number; readonly both: number };
  /** Settings and domains whose values cannot be read, with what the service returned. */
  readonly unreadable: readonly string[];
  /** Domains that several records have. */
  readonly duplicates: readonly string[];
  /** The answer to a record that does not exist. */
  readonly unknown_record: { readonly status: number | null; readonly json: boolean };
  /** Null when answers say nothing of it. */
  readonly rate_limit: RateFindings | null;
  /** What runs from here have learned of updates; null where they learned nothing, or it is older than 30 days. */
  readonly updates: UpdateFindings | null;
  /** Keys of `service:` that the file should, or may have to, set; a null value is for the reader to decide. */
  readonly pins: readonly Pin[];
}

/** What an update does with settings that it omits. */
export interface UpdateFindings {
  readonly keeps: readonly FieldName[];
  readonly resets: readonly FieldName[];
  readonly since: string;
}

/** Where a field is shown: in lists, in the answer for one record alone, nowhere; unknown without a record. */
export type ShownIn = 'list' | 'read' | 'nowhere' | 'unknown';

/** How a service tells where the next page is. */
export type Paging = 'total' | 'links' | 'cursor' | 'numbers';

export interface ListFindings {
  /** The member that holds the records; '' where the list is the whole answer. */
  readonly envelope: string;
  readonly paging: Paging;
  readonly records: number;
  readonly total: number | null;
  readonly pages: number;
  /** The most records on one page; null when one page holds all, so that no limit shows. */
  readonly page_size: number | null;
  readonly page_size_capped: boolean;
  readonly complete: boolean;
  readonly reason: string;
  readonly refused_parameters: readonly string[];
}

/** How values are written; null where no record showed one. Each form is read alike. */
export interface ValueForms {
  readonly ids: 'number' | 'text' | null;
  readonly flags: 'number' | 'text' | 'boolean' | null;
  readonly line_ends: 'LF' | 'CRLF' | null;
  readonly times: 'with offset' | 'without offset' | 'seconds since 1970' | null;
}

export interface RateFindings {
  readonly headers: readonly string[];
  readonly limit: number | null;
  readonly remaining: number | null;
  readonly reset_ms: number | null;
}

export interface Pin {
  readonly key: 'base_url' | 'www' | 'favorite';
  readonly value: string | null;
  readonly reason: string;
}
