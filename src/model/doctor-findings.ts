import type { FieldName } from './field-table.ts';

export interface Findings {
  readonly base_url: string;
  readonly redirects: readonly { readonly status: number; readonly from: string; readonly to: string }[];
  readonly list: {
    /** The member that holds the records; '' if the list is the whole response. */
    readonly envelope: string;
    readonly paging: Paging;
    readonly records: number;
    readonly total: number | null;
    readonly pages: number;
    /** The most records on one page; null if one page holds all, so that no limit shows. */
    readonly page_size: number | null;
    readonly page_size_capped: boolean;
    readonly complete: boolean;
    readonly reason: string;
    readonly refused_parameters: readonly string[];
  };
  /** If a search for a record's domain finds it; null without a record to search for. */
  readonly search_finds: boolean | null;
  readonly fields: readonly {
    readonly name: FieldName;
    readonly shown: 'list' | 'read' | 'nowhere' | 'unknown';
  }[];
  /** If records show that a password is set; null without a record. */
  readonly tells_password_set: boolean | null;
  /** The name of the favorite; null if no response showed it. */
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
