import { normaliseDomain } from '../../model/domain.ts';
import { nearest } from '../../util/did-you-mean.ts';
import { contains, firstOfNoName, plainly, TYPE_IT_PLAIN, trimPlain } from '../../util/look-alikes.ts';
import type { Finding, Range } from '../read/source.ts';
import { BULK_RECORD_KEYS, LIST_KEYS, SECRET_KEYS } from '../schema/keys.ts';
import { withoutSecret } from '../secrets/words.ts';
import { type BulkRow, cellValue, faultAt, type RowFault } from './rows.ts';

/** Names of columns, in the form of `plainName`, and the key of each; `undefined` omits the column. */
export type Renames = ReadonlyMap<string, string | undefined>;

export const BULK_KEYS: readonly string[] = Object.keys(BULK_RECORD_KEYS);

const OTHER_KEYS = BULK_KEYS.filter((key) => key !== 'domain');

/** Names that other programs give the column of the domains, the likeliest first. */
const DOMAIN_NAMES = [
  'domain',
  'domain_name',
  'domainname',
  'domains',
  'fqdn',
  'hostname',
  'host_name',
  'host',
  'website',
  'websites',
  'web_site',
  'website_url',
  'site',
  'sites',
  'site_url',
  'url',
  'urls',
  'homepage',
  'zone',
  'zone_name',
];

/** A word in a longer name that counts if the values are domains: `Domain (IDN)`, `Nom de domaine`. */
const DOMAIN_WORD =
  /(?:^|_)(?:domains?|domainname|fqdn|hostname|website|url|domaines?|dominios?|domane)(?:$|_)/;

/** Names that count only if the values are domains and no other column fits. */
const WEAK_NAMES = [
  'name',
  'names',
  'service_name',
  'address',
  'web_address',
  'page',
  'pages',
  'top_pages',
  'link',
  'property',
];

export function plainName(name: string): string {
  return trimPlain(name)
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z\d\u0080-\uffff]+/g, '_')
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

type ValuesOf = (index: number) => readonly unknown[];

const UNKNOWN: ValuesOf = () => [];

interface DomainColumn {
  readonly index: number;
  readonly rank: number;
  readonly isSure: boolean;
}

/**
 * The meaning of columns. If `guesses`, values confirm what names suggest. Otherwise names decide, so that one wrong
 * value in a configuration file does not change its column.
 */
export class Columns {
  /** Places are computed on request: a list on one line has a name for each domain. */
  readonly unknown = new Map<string, () => Range>();
  readonly settings = new Set<string>();
  readonly taken = new Map<string, string>();
  /** Names of settings whose values do not fit; they are in `unknown` too. */
  readonly misnamed = new Map<string, string>();
  readonly namesOf = new Map<BulkRow['keys'], readonly string[]>();
  readonly renamed = new Set<string>();
  readonly guesses: boolean;
  readonly #renames: Renames;

  constructor(renames: Renames, guesses = false) {
    this.#renames = renames;
    this.guesses = guesses;
  }

  domainsIn(names: readonly string[], valuesOf: ValuesOf): DomainColumn | undefined {
    return domainColumn(names.map(plainName), this.#renames, this.guesses ? valuesOf : undefined);
  }

  choosesList(name: string): boolean {
    const isChosen = this.#renames.get(plainName(name)) === 'domain';
    if (isChosen) this.renamed.add(plainName(name));
    return isChosen;
  }

  noDomains(names: readonly string[]): Finding {
    const named = [...this.#renames].find(([, key]) => key === 'domain')?.[0];
    const message = `the first line has no column ${named === undefined ? 'of domains' : JSON.stringify(named)}`;
    const isMeant = (name: string): boolean =>
      domainColumn([plainName(plainly(name))], this.#renames) !== undefined;
    const odd = names.findIndex(isMeant);
    const oddity = firstOfNoName(names[odd] ?? '');
    if (oddity === undefined) {
      const remedy = 'Name the columns in the first line. The column of the domains is called domain.';
      return { message, remedy };
    }
    return { message: `${message}: in column ${odd + 1}, ${contains(oddity)}`, remedy: TYPE_IT_PLAIN };
  }

  keysOf(
    names: readonly string[],
    placeOf: (index: number) => Range,
    valuesOf: ValuesOf = UNKNOWN,
  ): readonly (string | undefined)[] {
    const plain = names.map(plainName);
    const domain = this.domainsIn(names, valuesOf)?.index ?? -1;
    const keys = names.map((own, index) => {
      const name = plain[index] ?? '';
      const meant = this.#keyAt(plain, index, domain);
      const mayBeOther = this.guesses && meant !== undefined && !this.#renames.has(name);
      const isMisnamed = mayBeOther && isOther(meant, valuesOf(index));
      if (isMisnamed) this.misnamed.set(own, meant);
      const key = isMisnamed ? undefined : meant;
      this.#note(name, own, key, () => placeOf(index));
      return key;
    });
    this.namesOf.set(keys, names);
    return keys;
  }

  /** Programs mean the first of several columns of one name, or the one with the domains. */
  #keyAt(plain: readonly string[], index: number, domain: number): string | undefined {
    const name = plain[index] ?? '';
    const isOfDomains = name === plain[domain];
    if (this.guesses && index !== (isOfDomains ? domain : plain.indexOf(name))) return undefined;
    return isOfDomains ? 'domain' : keyOf(name, this.#renames);
  }

  #note(name: string, own: string, key: string | undefined, place: () => Range): void {
    if (key !== undefined) this.taken.set(own, key);
    if (this.#renames.has(name)) this.renamed.add(name);
    else if (key === undefined) {
      if (own !== '' && !this.unknown.has(own)) this.unknown.set(own, place);
    } else if (key !== 'domain') this.settings.add(own);
  }
}

function domainColumn(
  plain: readonly string[],
  renames: Renames,
  valuesOf: ValuesOf = UNKNOWN,
): DomainColumn | undefined {
  const columns = plain.map((name, index) => {
    const isNamed = renames.get(name) === 'domain';
    const rank = isNamed ? 0 : renames.has(name) ? -1 : rankOf(name);
    return { index, rank, isNamed, isSure: isMostly(valuesOf(index), isDomain) };
  });
  const renamed = columns.find(({ isNamed }) => isNamed);
  const found = columns.filter(({ rank }) => rank >= 0).sort((a, b) => a.rank - b.rank);
  return (
    renamed ?? found.find(({ isSure }) => isSure) ?? found.find(({ rank }) => rank < DOMAIN_NAMES.length)
  );
}

/** Ranks a name, 0 the likeliest; -1 for a name of another column. */
function rankOf(name: string): number {
  const rank = DOMAIN_NAMES.indexOf(name);
  if (rank !== -1) return rank;
  if (DOMAIN_WORD.test(name)) return DOMAIN_NAMES.length;
  return WEAK_NAMES.includes(name) ? DOMAIN_NAMES.length + 1 : -1;
}

function isMostly(values: readonly unknown[], is: (value: unknown) => boolean): boolean {
  const filled = values.filter((value) => value !== '' && value !== null && value !== undefined);
  return 2 * filled.filter(is).length > filled.length;
}

/** Gives the key of any other column; a second one named like the domains has no key. */
function keyOf(plain: string, renames: Renames): string | undefined {
  const key = renames.has(plain) ? renames.get(plain) : plain === 'domain' ? undefined : plain;
  return key !== undefined && BULK_KEYS.includes(key) ? key : undefined;
}

/** True if no value fits the setting in the column's name. Secrets and lists are never judged. */
function isOther(key: string, values: readonly unknown[]): boolean {
  if (key === 'domain' || SECRET_KEYS.includes(key) || LIST_KEYS.includes(key)) return false;
  const given = values.flatMap((value) => cellValue(key, value) ?? []);
  return given.length > 0 && given.every((value) => !BULK_RECORD_KEYS[key]?.schema.safeParse(value).success);
}

export interface Shape {
  readonly keys: BulkRow['keys'];
  /** The columns without a name, which are allowed only if empty. */
  readonly unnamed: readonly number[];
  readonly alike: string | undefined;
}

export function shapeOf(keys: BulkRow['keys'], names: readonly string[]): Shape {
  const twice = keys.find((key, index) => key !== undefined && keys.indexOf(key) !== index);
  const unnamed = names.flatMap((name, index) => (name === '' ? [index] : []));
  return { keys, unnamed, alike: twice === undefined ? undefined : `two columns are named ${twice}` };
}

export function rowOf(
  { keys, unnamed }: Shape,
  start: number,
  cells: readonly unknown[],
): BulkRow | RowFault {
  if (unnamed.every((index) => (cells[index] ?? '') === '')) return { start, keys, cells };
  return faultAt(start, 'a value is in a column without a name', 'Name the column, or remove the value.');
}

export function unknownColumn(name: string): Finding {
  const message = `unknown column ${JSON.stringify(withoutSecret(name))}`;
  const oddity = firstOfNoName(name);
  if (oddity !== undefined) return { message: `${message}: ${contains(oddity)}`, remedy: TYPE_IT_PLAIN };
  const meant = nearest(name, OTHER_KEYS);
  return {
    message,
    remedy: meant === undefined ? `The columns are ${BULK_KEYS.join(', ')}.` : `Did you mean ${meant}?`,
  };
}
