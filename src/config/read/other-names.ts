/** What people, and other tools, call the keys and values of the files. */

import { nearest, simplify } from '../../util/did-you-mean.ts';
import { FILE_KEYS, RECORD_KEYS, SERVICE_KEYS, SETTING_KEYS } from '../schema/keys.ts';

/** Keys by other names, in the form of `simplify`; the first that there is in a place is meant. */
const KEYS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    name: ['domain'],
    url: ['domain', 'base_url'],
    uri: ['domain', 'base_url'],
    host: ['domain', 'base_url'],
    hostname: ['domain', 'base_url'],
    fqdn: ['domain'],
    site: ['domain'],
    website: ['domain', 'websites'],
    address: ['domain', 'base_url'],
    endpoint: ['base_url'],
    server: ['base_url', 'service'],
    visibility: ['privacy'],
    access: ['privacy'],
    mail: ['email'],
    reports: ['email'],
    emailreports: ['email'],
    bots: ['exclude_bots'],
    ignorebots: ['exclude_bots'],
    params: ['exclude_params'],
    parameters: ['exclude_params'],
    ignoreparams: ['exclude_params'],
    ips: ['exclude_ips'],
    ignoreips: ['exclude_ips'],
    starred: ['favorite'],
    status: ['state'],
    ensure: ['state'],
    preventdestroy: ['protect'],
    sites: ['websites'],
    domains: ['websites'],
    records: ['websites'],
    resources: ['websites'],
    exclude: ['ignore'],
    environments: ['targets'],
    apikey: ['api_key'],
    key: ['api_key'],
    token: ['api_key'],
  }),
);

/** Words for values, in the form of `simplify`, by key. */
const VALUES: ReadonlyMap<string, Readonly<Record<string, string>>> = new Map([
  [
    'privacy',
    { open: 'public', visible: 'public', hidden: 'private', closed: 'private', protected: 'password' },
  ],
  [
    'state',
    {
      deleted: 'absent',
      delete: 'absent',
      removed: 'absent',
      remove: 'absent',
      destroyed: 'absent',
      gone: 'absent',
      created: 'present',
      exists: 'present',
      active: 'present',
    },
  ],
  [
    'update',
    { partial: 'changed', patch: 'changed', merge: 'changed', replace: 'full', put: 'full', all: 'full' },
  ],
]);

/** The one of `known` that is meant by a key that is none. */
export function keyMeant(key: string, known: readonly string[]): string | undefined {
  return KEYS.get(simplify(key))?.find((one) => known.includes(one)) ?? nearest(key, known);
}

/** The one of `words` that is meant by a value of `key` that is none. */
export function wordMeant(key: string, text: string, words: readonly string[]): string | undefined {
  const [others, plain] = [VALUES.get(key) ?? {}, simplify(text)];
  return (Object.hasOwn(others, plain) ? others[plain] : undefined) ?? nearest(text, words);
}

/** Where keys belong. */
const HOMES: readonly (readonly [keys: object, home: string])[] = [
  [SETTING_KEYS, 'in a record, or under defaults'],
  [RECORD_KEYS, 'in a record under websites'],
  [SERVICE_KEYS, 'under service'],
  [FILE_KEYS, 'at the top of the file'],
];

/** Where a key belongs that is none where it is written; `undefined` for one that is none anywhere. */
export function homeOf(key: string): string | undefined {
  return HOMES.find(([keys]) => Object.hasOwn(keys, key))?.[1];
}

/** The key of a text in which the space after the colon is missing. */
export function gluedKey(text: string): string | undefined {
  const [, key = ''] = /^([a-z_]+):\S/.exec(text) ?? [];
  return homeOf(key) === undefined && key !== 'api_key' ? undefined : key;
}
