import type { Place } from './errors.ts';
import type { ListFact } from './facts.ts';
import type { FieldName, Settings } from './field-table.ts';

/** A website in the files, with the defaults of its groups applied. */
export interface DesiredWebsite {
  readonly domain: string;
  readonly state: 'present' | 'absent';
  /** Only declared settings. `null` or an empty set clears a setting. */
  readonly settings: Settings;
  readonly group?: string | undefined;
  readonly protect: boolean;
  readonly source: Place;
}

/**
 * `same`: www variants are one website. `distinct`: two (decision: "Records match by domain and compare by meaning").
 */
export type WwwRule = 'same' | 'distinct';

/** Settings that an update sends with its changes. `auto`: those that might be reset. `changed`: none. `full`: all. */
export type UpdateRule = 'auto' | 'changed' | 'full';

export type Groups = ReadonlyMap<string, string | undefined>;

/**
 * Which undeclared records to delete. `true`: all. `removed`: those that the files declared at an earlier commit
 * (decision: "Prune deletes only what the files declared"). `false`: none.
 */
export type PruneRule = boolean | 'removed';

export interface Desired {
  readonly websites: readonly DesiredWebsite[];
  readonly groups?: Groups | undefined;
  readonly ignore: readonly string[];
  readonly protected: readonly string[];
  /** Patterns for the only domains that the files manage. Missing if there is no limit. */
  readonly scope?: readonly string[] | undefined;
}

/** The files of an earlier revision. `prune` is the flag, or the setting in those files. */
export interface EarlierFiles extends Desired {
  readonly prune: PruneRule;
  /** True if the files differ from the current ones only in websites and their defaults. */
  readonly onlyWebsites?: boolean | undefined;
}

/** Settings that cannot be parsed. The text describes the shape of the value and the expected shape. */
export type Unreadable = { readonly [Name in FieldName | 'domain']?: string };

export interface Website {
  readonly id: string;
  /** As the service writes it. Use `domainKey` to compare it. */
  readonly domain: string;
  readonly settings: Settings;
  /** Missing if the service does not show this. */
  readonly passwordSet?: boolean;
  /** Settings whose value on the service cannot be parsed. Missing if empty. */
  readonly unreadable?: Unreadable;
}

/** A domain whose record is needed, and the fields that are declared for it. */
export interface Wanted {
  readonly domain: string;
  readonly fields: readonly FieldName[];
  /** Fields that are declared with a value. A reading of the record should show them. */
  readonly filled?: readonly FieldName[];
}

export interface Question {
  /** Domains to read. Missing if every record may matter. */
  readonly about?: readonly string[] | undefined;
  readonly wanted: () => Iterable<Wanted>;
  /** True if looking up `about` is enough. Otherwise the list is read. */
  readonly isEnough?: (found: Current) => boolean;
  /** Domains whose records must be read completely, including fields that lists hide. */
  readonly whole?: (found: Current) => readonly string[];
}

/** An ID that the service showed for several websites. It does not identify any of them. */
export interface SharedId {
  readonly id: string;
  /** Normalized, in the order in which the service showed them. */
  readonly domains: readonly string[];
}

export interface Current {
  /** One record per ID. */
  readonly websites: readonly Website[];
  /** Records whose domain cannot be read. They match nothing and are never changed. Missing if empty. */
  readonly unnamed?: readonly Website[] | undefined;
  /** True if the list is known to contain every record (decision: "Only a complete list is believed"). */
  readonly complete: boolean;
  readonly reason?: ListFact;
  /** If the list is incomplete: declared domains that certainly have no record. Other domains are unknown. */
  readonly knownAbsent: ReadonlySet<string>;
  /** Fields that this service never returns. They are written and never compared. */
  readonly hidden: readonly FieldName[];
  /** Fields for which the service shows and accepts only their presence (the boolean form of the favorite). */
  readonly presenceOnly: readonly FieldName[];
  readonly readAt: number;
  /** IDs that were shown for several domains. Only read-only commands get them; the list is then incomplete. */
  readonly sharedIds?: readonly SharedId[] | undefined;
  /** Set if domains were looked up instead of the list. Other domains are then unknown. */
  readonly lookedUp?: LookedUp | undefined;
  readonly requests?: number | undefined;
}

/** Describes look-ups that replaced the list (decision: "Reads grow with the change"). */
export interface LookedUp {
  /** Domains whose records were all read, or that have no record. */
  readonly domains: ReadonlySet<string>;
  /** `total`: number of records on the service, if it reports that. `pages`: requests to list all records. */
  readonly total: number | undefined;
  readonly pages: number | undefined;
}

/** The level that declares a value: the record, a group around it, or the top of the file. */
export interface Provenance {
  readonly field: FieldName;
  readonly level: 'record' | 'group' | 'file';
  readonly group?: string;
  readonly place: Place;
}
