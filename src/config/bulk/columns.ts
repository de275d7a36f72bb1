import { normaliseDomain } from '../../model/domain.ts';
import { nearest } from '../../util/did-you-mean.ts';
import type { Finding } from '../read/source.ts';
import { BULK_RECORD_KEYS, LIST_KEYS, SECRET_KEYS } from '../schema/keys.ts';
import { withoutSecret } from '../secrets/words.ts';
import { cellValue, fits, type Shape } from './rows.ts';

/** Column names in the form of `plainName`, with the key of each; `undefined` ignores the column. */
export type Renames = ReadonlyMap<string, string | undefined>;

export const BULK_KEYS: readonly string[] = Object.keys(BULK_RECORD_KEYS);

/** Names that other programs use for the column of domains, the most likely first. */
const DOMAIN_NAMES = [
  /^domain$/,
  /^(?:domains|domain_?name|fqdn)$/,
  /^host(?:_?name)?$/,
  /^web_?sites?(?:_url)?$/,
  /^sites?(?:_url)?$/,
  /^(?:urls?|homepage)$/,
  /^zone(?:_name)?$/,
  // Matches a word in a longer name: `Domain (IDN)`, `Nom de domaine`.
  /(?:^|_)(?:domains?|domainname|fqdn|hostname|website|url|domaines?|dominios?|domane)(?:$|_)/,
  /^(?:names?|service_name|(?:web_)?address|(?:top_)?pages?|link|property)$/,
];
/** Number of patterns, from the first, that count without a check of the values. */
const SURE_PATTERNS = 7;

/** Reduces a name to lower-case letters and digits without accents, with `_` between words. */
export function plainName(name: string): string {
  return name
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '');
}

const DOMAIN_PROPERTY = /^sc-domain:/i;

export function withoutPrefix(text: string): string {
  return text.replace(DOMAIN_PROPERTY, '');
}

export function isDomain(value: unknown): boolean {
  const normalised = typeof value === 'string' ? normaliseDomain(withoutPrefix(value)) : { reason: '' };
  return 'kind' in normalised && normalised.kind !== 'label' && normalised.kind !== 'ip';
}

/** Returns the first values of the column at `index`. */
export type ValuesOf = (index: number) => readonly unknown[];

export interface Column {
  readonly name: string;
  readonly key: string | undefined;
  /** The setting that the column is named after, if no value is valid for it. Such a column is ignored. */
  readonly misnamed: string | undefined;
  readonly isRenamed: boolean;
  /** Start of the first row that has it. */
  readonly start: number;
}

/**
 * The meaning of columns. If `guesses`, a name counts only if values confirm it. Otherwise the name decides, so that
 * one wrong value in a configuration file does not change the meaning of its column.
 */
export class Columns {
  readonly renames: Renames;
  readonly guesses: boolean;
  readonly #seen = new Map<string, Column>();

  constructor(renames: Renames, guesses = false) {
    this.renames = renames;
    this.guesses = guesses;
  }

  /** Each column of the rows that were read. */
  get seen(): readonly Column[] {
    return [...this.#seen.values()];
  }

  get unknown(): readonly Column[] {
    return this.seen.filter(({ name, key, isRenamed }) => key === undefined && !isRenamed && name !== '');
  }

  domainsIn(names: readonly string[], valuesOf: ValuesOf) {
    const columns = names.flatMap((name, index) => {
      const plain = plainName(name);
      if (this.renames.get(plain) === 'domain') return { index, rank: -1, isSure: true };
      const rank = DOMAIN_NAMES.findIndex((pattern) => pattern.test(plain));
      if (rank === -1 || this.renames.has(plain)) return [];
      return { index, rank, isSure: this.guesses && areMostlyDomains(valuesOf(index)) };
    });
    columns.sort((a, b) => a.rank - b.rank);
    return columns.find(({ isSure }) => isSure) ?? columns.find(({ rank }) => rank < SURE_PATTERNS);
  }

  get noDomains(): [message: string, remedy: string] {
    const named = [...this.renames].find(([, key]) => key === 'domain')?.[0];
    const what = named === undefined ? 'of domains' : JSON.stringify(named);
    const remedy =
      'Write the column names in the first line, with "domain" for the column that contains the domains.';
    return [`the first line has no column ${what}`, remedy];
  }

  shapeOf(names: readonly string[], valuesOf: ValuesOf, start: number): Shape {
    const plain = names.map(plainName);
    const domain = this.domainsIn(names, valuesOf)?.index ?? -1;
    const keys = names.map((name, index) => {
      const meant = this.#keyAt(plain, index, domain);
      const isRenamed = this.renames.has(plain[index] ?? '');
      const isOdd = this.guesses && meant !== undefined && !isRenamed && isOther(meant, valuesOf(index));
      const key = isOdd ? undefined : meant;
      const id = JSON.stringify([name, key]);
      const misnamed = isOdd ? meant : undefined;
      if (!this.#seen.has(id)) this.#seen.set(id, { name, key, misnamed, isRenamed, start });
      return key;
    });
    const twice = keys.find((key, index) => key !== undefined && keys.indexOf(key) !== index);
    return { names, keys, twice };
  }

  /** When guessing, only the first column with a name counts, or the one that contains the domains. */
  #keyAt(plain: readonly string[], index: number, domain: number): string | undefined {
    const name = plain[index] ?? '';
    const isOfDomains = name === plain[domain];
    if (this.guesses && index !== (isOfDomains ? domain : plain.indexOf(name))) return undefined;
    if (isOfDomains) return 'domain';
    // A column named `domain` is ignored if another column contains the domains.
    const key = this.renames.has(name) ? this.renames.get(name) : name === 'domain' ? undefined : name;
    return key !== undefined && BULK_KEYS.includes(key) ? key : undefined;
  }
}

function areMostlyDomains(values: readonly unknown[]): boolean {
  const filled = values.filter((value) => value !== '' && value !== null && value !== undefined);
  return 2 * filled.filter(isDomain).length > filled.length;
}

/** True if no value is valid for the setting that names the column. Columns of secrets and lists are not checked. */
function isOther(key: string, values: readonly unknown[]): boolean {
  if (key === 'domain' || SECRET_KEYS.includes(key) || LIST_KEYS.includes(key)) return false;
  const given = values.flatMap((value) => cellValue(key, value) ?? []);
  return given.length > 0 && !given.some((value) => fits(key, value));
}

export function unknownColumn({ name }: Column): Finding {
  const known = BULK_KEYS.filter((key) => key !== 'domain');
  const meant = nearest(name, known);
  return {
    message: `unknown column ${JSON.stringify(withoutSecret(name))}`,
    remedy: meant === undefined ? `Use one of ${BULK_KEYS.join(', ')}.` : `Did you mean ${meant}?`,
  };
}
