import type { Place } from './errors.ts';
import type { FieldName, Settings } from './field-table.ts';

/** A record of `websites.yaml`, the levels around it laid under it. */
export interface DesiredWebsite {
  readonly domain: string;
  readonly state: 'present' | 'absent';
  /** The declared fields only; `null` (or an empty set) clears one. */
  readonly settings: Settings;
  readonly group?: string | undefined;
  readonly protect: boolean;
  readonly source: Place;
}

/**
 * How two domains that differ in a leading `www.` relate on a service
 * (decision: "Records match by domain and compare by meaning").
 */
export type WwwRule = 'same' | 'distinct';

/**
 * What an update leaves out. `auto`: what the service was seen to keep. `changed`: everything but the changes. `full`:
 * nothing.
 */
export type UpdateRule = 'auto' | 'changed' | 'full';

export type Groups = ReadonlyMap<string, string | undefined>;

/**
 * What is deleted of the records that no file lists: nothing, all of them, or those that earlier commits of the files
 * declared (decision: "Prune deletes only what the files declared").
 */
export type PruneRule = boolean | 'removed';

export interface Desired {
  readonly websites: readonly DesiredWebsite[];
  readonly groups?: Groups | undefined;
  readonly ignore: readonly string[];
  readonly protected: readonly string[];
  /** Patterns of the only domains that the files are about; missing where they are about all. */
  readonly scope?: readonly string[] | undefined;
}

/** What the files of an earlier revision say, and whether prune, by a flag or by them, deleted what they did not list. */
export interface EarlierFiles extends Desired {
  readonly prune: PruneRule;
  /** Nothing differs from the files of now but the websites, with all that defaults give them. */
  readonly onlyWebsites?: boolean | undefined;
}

/** What settings of a record hold that cannot be read, in words: the shape of the value, and what was expected. */
export type Unreadable = { readonly [Name in FieldName | 'domain']?: string };

export interface Website {
  readonly id: string;
  /** As the service writes it; `domainKey` gives its identity. */
  readonly domain: string;
  readonly settings: Settings;
  /** Whether a password is set; missing when the service does not say. */
  readonly passwordSet?: boolean;
  /** Settings that are not among `settings`, although the service shows them; missing without any. */
  readonly unreadable?: Unreadable;
}

/** A domain whose record has to be known, and the fields that are declared for it. */
export interface Wanted {
  readonly domain: string;
  readonly fields: readonly FieldName[];
  /** Those that are declared with a value: such a record should show them. */
  readonly filled?: readonly FieldName[];
}

export interface Question {
  /** The domains that it is about; missing if it may be about any. */
  readonly about?: readonly string[] | undefined;
  readonly wanted: () => Iterable<Wanted>;
  /** If what was looked up of `about` will do; otherwise the list is read. */
  readonly isEnough?: (found: Current) => boolean;
  /** The domains whose records have to be known whole, with what lists hide of them. */
  readonly whole?: (found: Current) => readonly string[];
}

/** An id that the service showed for several websites: it identifies none of them. */
export interface SharedId {
  readonly id: string;
  /** Normalized, in the order in which they were shown. */
  readonly domains: readonly string[];
}

export interface Current {
  readonly websites: readonly Website[];
  /** Records without a domain that can be read: they match nothing, and are never changed. Missing without any. */
  readonly unnamed?: readonly Website[] | undefined;
  /** True when the list is known to hold every record (decision: "Only a complete list is believed"). */
  readonly complete: boolean;
  /** Why it is known, or not known, to be complete; in words for the reader. */
  readonly reason?: string;
  /**
   * Without a complete list: the desired domains of which it is known that no record exists.
   * Of any other domain that is not in `websites` nothing is known.
   */
  readonly provenAbsent: ReadonlySet<string>;
  /** Fields that this service shows nowhere: written, never compared. */
  readonly hidden: readonly FieldName[];
  /** Fields whose presence alone is shown and taken (the boolean form of the favorite). */
  readonly presenceOnly: readonly FieldName[];
  readonly readAt: number;
  /** Ids that were shown for several domains; only of a reading that nothing is written by, which is not complete then. */
  readonly sharedIds?: readonly SharedId[] | undefined;
  /** Where domains were looked up in place of the list: of others nothing is known. */
  readonly lookedUp?: LookedUp | undefined;
  readonly requests?: number | undefined;
}

/** What was read in place of the list (decision: "Reads grow with the change"). */
export interface LookedUp {
  /** Each has all of its records among the current ones, or has none. */
  readonly domains: ReadonlySet<string>;
  /** Records that the service counts, if it does, and requests that a list of them takes. */
  readonly total: number | undefined;
  readonly pages: number | undefined;
}

/** Where a value of a declared record comes from: the record itself, a group around it, or the top of the files. */
export interface Provenance {
  readonly field: FieldName;
  readonly level: 'record' | 'group' | 'file';
  readonly group?: string;
  readonly place: Place;
}
