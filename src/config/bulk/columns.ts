/** The columns of a bulk file → keys of a record. */
import { contains, firstOfNoName, plainly, TYPE_IT_PLAIN, trimPlain } from '../../util/look-alikes.ts';
import { keyMeant } from '../read/other-names.ts';
import type { Finding, Range } from '../read/source.ts';
import { BULK_RECORD_KEYS } from '../schema/keys.ts';
import { withoutSecret } from '../secrets/words.ts';

/** Further names of columns, in the form of `plainName`, and the key that each means; none is left out. */
export type Renames = ReadonlyMap<string, string | undefined>;

export const BULK_KEYS: readonly string[] = Object.keys(BULK_RECORD_KEYS);

const OTHER_KEYS = BULK_KEYS.filter((key) => key !== 'domain');

/** What other programs call the column of the domains, the likeliest first. */
const DOMAIN_NAMES = [
  'domain',
  'domain_name',
  'domains',
  'hostname',
  'host_name',
  'host',
  'fqdn',
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
];

/** `Exclude Bots` as `exclude_bots`. */
export function plainName(name: string): string {
  return trimPlain(name)
    .toLowerCase()
    .replace(/[ \t\r\n_-]+/g, '_');
}

export interface Columns {
  /** Whether a column of domains is among them. */
  nameDomains(names: readonly string[]): boolean;
  /** What is to be said of a first line that has none. */
  noDomains(names: readonly string[]): Finding;
  /** The key of each name; those that mean none are noted in `unknown`, with their places. */
  keysOf(names: readonly string[], placeOf: (index: number) => Range): readonly (string | undefined)[];
  /** Places are looked for when they are asked for: a list that stands on one line has a name for each domain. */
  readonly unknown: ReadonlyMap<string, () => Range>;
  /** Names of columns that mean a setting, of which `renames` says nothing. */
  readonly settings: ReadonlySet<string>;
  /** The names of `renames` that were met. */
  readonly renamed: ReadonlySet<string>;
}

export function createColumns(renames: Renames): Columns {
  const unknown = new Map<string, () => Range>();
  const settings = new Set<string>();
  const renamed = new Set<string>();
  const named = [...renames].find(([, key]) => key === 'domain')?.[0];
  return {
    unknown,
    settings,
    renamed,
    noDomains(names) {
      const message = `the first line has no column ${named === undefined ? 'of domains' : JSON.stringify(named)}`;
      const odd = names.findIndex((name) => domainName([plainName(plainly(name))], renames) !== undefined);
      const oddity = firstOfNoName(names[odd] ?? '');
      return oddity === undefined
        ? {
            message,
            remedy: 'Name the columns in the first line. The column of the domains is called domain.',
          }
        : { message: `${message}: in column ${odd + 1}, ${contains(oddity)}`, remedy: TYPE_IT_PLAIN };
    },
    nameDomains: (names) => domainName(names.map(plainName), renames) !== undefined,
    keysOf(names, placeOf) {
      const plain = names.map(plainName);
      const domain = domainName(plain, renames);
      return plain.map((name, index) => {
        const key = name === domain ? 'domain' : keyOf(name, renames);
        const own = names[index] ?? '';
        if (renames.has(name)) renamed.add(name);
        else if (key !== undefined && key !== 'domain') settings.add(own);
        else if (key === undefined && own !== '' && !unknown.has(own)) unknown.set(own, () => placeOf(index));
        return key;
      });
    },
  };
}

/** What the column of the domains is called among `plain`. */
function domainName(plain: readonly string[], renames: Renames): string | undefined {
  const renamed = plain.find((name) => renames.get(name) === 'domain');
  return renamed ?? DOMAIN_NAMES.find((one) => plain.includes(one) && !renames.has(one));
}

/** Of a column that is not that of the domains; one that is called so all the same means nothing. */
function keyOf(plain: string, renames: Renames): string | undefined {
  const key = renames.has(plain) ? renames.get(plain) : plain === 'domain' ? undefined : plain;
  return key !== undefined && BULK_KEYS.includes(key) ? key : undefined;
}

/** What is to be said where two columns mean the same key, if two do. */
export function twoAlike(keys: readonly (string | undefined)[]): string | undefined {
  const twice = keys.find((key, index) => key !== undefined && keys.indexOf(key) !== index);
  return twice === undefined ? undefined : `two columns are named ${twice}`;
}

/** What is to be said of a column that means no key. */
export function unknownColumn(name: string): Finding {
  const message = `unknown column ${JSON.stringify(withoutSecret(name))}`;
  const oddity = firstOfNoName(name);
  if (oddity !== undefined) return { message: `${message}: ${contains(oddity)}`, remedy: TYPE_IT_PLAIN };
  // There is one of domains already.
  const meant = keyMeant(name, OTHER_KEYS);
  return {
    message,
    remedy: meant === undefined ? `The columns are ${BULK_KEYS.join(', ')}.` : `Did you mean ${meant}?`,
  };
}

/** What is to be said of a value in a column without a name; programs write such columns, but empty. */
export const NAMELESS: Finding = {
  message: 'a value is in a column without a name',
  remedy: 'Name the column, or remove the value.',
};
