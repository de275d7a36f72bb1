import type { Place } from './errors.ts';
import type { FieldName, Settings } from './field-table.ts';

/** A record of `websites.yaml` with the defaults of its groups. */
export interface DesiredWebsite {
  readonly domain: string;
  readonly state: 'present' | 'absent';
  /** The declared fields only; `null` (or an empty set) clears one. */
  readonly settings: Settings;
  readonly group?: string | undefined;
  readonly protect: boolean;
  readonly source: Place;
}

/** The relation of www variants (decision: "Records match by domain and compare by meaning"). */
export type WwwRule = 'same' | 'distinct';

/** An update omits settings that the service keeps (`auto`), all but the changes (`changed`), or none (`full`). */
export type UpdateRule = 'auto' | 'changed' | 'full';

export type Groups = ReadonlyMap<string, string | undefined>;

/** Undeclared records to delete (decision: "Prune deletes only what the files declared"). */
export type PruneRule = boolean | 'removed';

export interface Desired {
  readonly websites: readonly DesiredWebsite[];
  readonly groups?: Groups | undefined;
  readonly ignore: readonly string[];
  readonly protected: readonly string[];
  /** Patterns of the only domains that the files manage; missing without a limit. */
  readonly scope?: readonly string[] | undefined;
}

/** The files of an earlier revision. `prune` is the flag, or the setting of those files. */
export interface EarlierFiles extends Desired {
  readonly prune: PruneRule;
  /** The files differ from the current ones in websites and their defaults alone. */
  readonly onlyWebsites?: boolean | undefined;
}

/** Settings of a record that cannot be read, in words: the shape of the value, and the expected one. */
export type Unreadable = { readonly [Name in FieldName | 'domain']?: string };

export interface Website {
  readonly id: string;
  /** As the service writes it; `domainKey` gives its identity. */
  readonly domain: string;
  readonly settings: Settings;
  /** Missing if the service does not show if a password is set. */
  readonly passwordSet?: boolean;
  /** Settings that the service shows in a form that cannot be read; missing without any. */
  readonly unreadable?: Unreadable;
}

/** A domain whose record is needed, and the fields that are declared for it. */
export interface Wanted {
  readonly domain: string;
  readonly fields: readonly FieldName[];
  /** Fields that are declared with a value: such a record should show them. */
  readonly filled?: readonly FieldName[];
}

export interface Question {
  /** The domains to read; missing if any may matter. */
  readonly about?: readonly string[] | undefined;
  readonly wanted: () => Iterable<Wanted>;
  /** True if looking up `about` is enough; otherwise the list is read. */
  readonly isEnough?: (found: Current) => boolean;
  /** The domains whose records are needed whole, also the fields that lists hide. */
  readonly whole?: (found: Current) => readonly string[];
}

/** An ID that the service showed for several websites: it identifies none of them. */
export interface SharedId {
  readonly id: string;
  /** Normalized, in the order in which they were shown. */
  readonly domains: readonly string[];
}

export interface Current {
  /** Distinct by ID. */
  readonly websites: readonly Website[];
  /** Records without a readable domain: they match nothing and are never changed. Missing without any. */
  readonly unnamed?: readonly Website[] | undefined;
  /** True if the list is known to contain every record (decision: "Only a complete list is believed"). */
  readonly complete: boolean;
  /** The reason that the list is known to be complete or not, in words. */
  readonly reason?: string;
  /** Without a complete list: desired domains that are known to have no record. Others are unknown. */
  readonly provenAbsent: ReadonlySet<string>;
  /** Fields that this service never returns: written, never compared. */
  readonly hidden: readonly FieldName[];
  /** Fields whose presence alone is shown and accepted (the boolean form of the favorite). */
  readonly presenceOnly: readonly FieldName[];
  readonly readAt: number;
  /** IDs that were shown for several domains; only in a read-only reading, which then is not complete. */
  readonly sharedIds?: readonly SharedId[] | undefined;
  /** Set if domains were looked up instead of the list: other domains are unknown. */
  readonly lookedUp?: LookedUp | undefined;
  readonly requests?: number | undefined;
}

/** The scope of look-ups that replaced the list (decision: "Reads grow with the change"). */
export interface LookedUp {
  /** Domains that have all of their records among the current ones, or have none. */
  readonly domains: ReadonlySet<string>;
  /** The number of records on the service, if it counts them, and of requests for a list of all. */
  readonly total: number | undefined;
  readonly pages: number | undefined;
}

/** The source of a value: the record itself, a group around it, or the top of the files. */
export interface Provenance {
  readonly field: FieldName;
  readonly level: 'record' | 'group' | 'file';
  readonly group?: string;
  readonly place: Place;
}
