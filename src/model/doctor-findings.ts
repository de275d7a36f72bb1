import type { FieldName } from './field-table.ts';

export interface Findings {
  readonly base_url: string;
  readonly redirects: readonly { readonly status: number; readonly from: string; readonly to: string }[];
  readonly list: {
    /** Member of the response that contains the records; '' if the response is the list itself. */
    readonly envelope: string;
    readonly paging: Paging;
    readonly records: number;
    readonly total: number | null;
    readonly pages: number;
    /** Number of records on a full page. null if one page contains all records. */
    readonly page_size: number | null;
    readonly page_size_capped: boolean;
    readonly complete: boolean;
    readonly reason: string;
    readonly refused_parameters: readonly string[];
  };
  /** True if a search for a record's domain finds the record; null if there is no record. */
  readonly search_finds: boolean | null;
  readonly fields: readonly {
    readonly name: FieldName;
    readonly shown: 'list' | 'read' | 'nowhere' | 'unknown';
  }[];
  /** True if records show that a password is set; null if there is no record. */
  readonly tells_password_set: boolean | null;
  /** Name of the favorite in responses; null if no response showed it. */
  readonly favorite: string | null;
  readonly www: { readonly with: number; readonly without: number; readonly both: number };
  readonly unreadable: readonly string[];
  readonly duplicates: readonly string[];
  readonly rate_limit: {
    readonly headers: readonly string[];
    readonly limit: number | null;
    readonly remaining: number | null;
    readonly reset_ms: number | null;
  } | null;
}

export type Paging = 'total' | 'links' | 'cursor' | 'numbers';
