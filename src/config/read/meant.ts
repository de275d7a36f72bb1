/** Suggestions for unknown keys and values, as people and other programs name them. */
import { nearest, simplify } from '../../util/did-you-mean.ts';
import {
  ALL_SECRET_KEYS,
  FILE_KEYS,
  type Key,
  PRESENCE_FIELDS,
  RECORD_KEYS,
  SERVICE_KEYS,
  SETTING_KEYS,
} from '../schema/keys.ts';
import { wholeReference } from '../secrets/substitute.ts';

/** Other names of keys; if a name has several, the place decides. */
const OTHER_KEYS: Readonly<Record<string, readonly string[]>> = {
  domain: ['name', 'url', 'uri', 'host', 'hostname', 'fqdn', 'site', 'website', 'address'],
  base_url: ['url', 'uri', 'host', 'hostname', 'address', 'endpoint', 'server'],
  service: ['server'],
  privacy: ['visibility', 'access'],
  email: ['mail', 'reports', 'email_reports'],
  exclude_bots: ['bots', 'ignore_bots'],
  exclude_params: ['params', 'parameters', 'ignore_params'],
  exclude_ips: ['ips', 'ignore_ips'],
  favorite: ['starred'],
  state: ['status', 'ensure'],
  protect: ['prevent_destroy'],
  websites: ['website', 'sites', 'domains', 'records', 'resources'],
  ignore: ['exclude'],
  targets: ['environments'],
  api_key: ['key', 'token'],
};

const OTHER_WORDS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  privacy: { public: ['open', 'visible'], private: ['hidden', 'closed'], password: ['protected'] },
  state: {
    absent: ['deleted', 'delete', 'removed', 'remove', 'destroyed', 'gone'],
    present: ['created', 'exists', 'active'],
  },
  update: { changed: ['partial', 'patch', 'merge'], full: ['replace', 'put', 'all'] },
};

export function keyMeant(key: string, known: readonly string[]): string | undefined {
  const plain = simplify(key);
  const isMeant = (one: string): boolean =>
    OTHER_KEYS[one]?.some((name) => simplify(name) === plain) ?? false;
  return known.find(isMeant) ?? nearest(key, known);
}

const HOMES: readonly (readonly [keys: object, home: string])[] = [
  [SETTING_KEYS, 'in a record, or under defaults'],
  [RECORD_KEYS, 'in a record under websites'],
  [SERVICE_KEYS, 'under service'],
  [FILE_KEYS, 'at the top of the file'],
];

/** The place of a misplaced key; `undefined` for an unknown one. */
export function homeOf(key: string): string | undefined {
  return HOMES.find(([keys]) => Object.hasOwn(keys, key))?.[1];
}

export function gluedKey(text: string): string | undefined {
  const [, key = ''] = /^([a-z_]+):\S/.exec(text) ?? [];
  return homeOf(key) === undefined && key !== 'api_key' ? undefined : key;
}

const MAX_ITEMS = 5;
const SHOWN_ITEM = /^[^@?#]{1,60}$/;

/** A remedy for a value under the key `name`, without a secret in it; `undefined` if nothing is similar. */
export function valueMeant(name: string, key: Key, value: unknown): string | undefined {
  const accepts = (other: unknown): boolean => key.schema.safeParse(other).success;
  if (ALL_SECRET_KEYS.includes(name)) return secretMeant(value, accepts);
  if (Array.isArray(value)) {
    return value.length === 1 && accepts(value[0]) ? 'Write it without brackets.' : undefined;
  }
  if (!isScalar(value)) return undefined;
  return (
    presenceMeant(name, key, value) ??
    (typeof value === 'string' ? textMeant(name, key, value, accepts) : undefined) ??
    listMeant(String(value), accepts) ??
    (accepts(String(value)) ? 'Put it in quotes.' : undefined)
  );
}

export function itemMeant(key: Key, item: unknown): string | undefined {
  const accepts = (items: readonly string[]): boolean => key.schema.safeParse(items).success;
  if (typeof item !== 'string') {
    return isScalar(item) && accepts([String(item)]) ? 'Put it in quotes.' : undefined;
  }
  const items = itemsOf(item);
  return items.length > 1 && accepts(items) ? 'Write each one as an item of its own.' : undefined;
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function secretMeant(value: unknown, accepts: (other: unknown) => boolean): string | undefined {
  if (typeof value !== 'string') {
    return isScalar(value) && accepts(String(value)) ? 'Put it in quotes, or use { env: NAME }.' : undefined;
  }
  const name = wholeReference(value);
  const [, kind] = /^(env|file):/.exec(value) ?? [];
  if (name !== undefined) return `Write { env: ${name} }.`;
  return kind === undefined ? undefined : `Write { ${kind}: ${kind === 'env' ? 'NAME' : 'PATH'} }.`;
}

/** A time and a boolean have separate keys. */
function presenceMeant(name: string, key: Key, value: unknown): string | undefined {
  if (SETTING_KEYS[name] !== key) return undefined;
  const pair = [...PRESENCE_FIELDS].find((keys) => keys.includes(name as never));
  const other = pair?.find((one) => one !== name);
  if (other === undefined || !SETTING_KEYS[other]?.schema.safeParse(value).success) return undefined;
  return `Write ${other}: ${String(value)}.`;
}

function textMeant(
  name: string,
  key: Key,
  text: string,
  accepts: (other: unknown) => boolean,
): string | undefined {
  if (name === 'email' && text.includes('@')) return 'Write true or false: it only turns reports on or off.';
  if (/^\d{1,15}$/.test(text) && accepts(Number(text))) return `Write ${Number(text)}, without quotes.`;
  if (key.words === undefined) return undefined;
  const others = Object.entries(OTHER_WORDS[name] ?? {});
  const word = others.find(([, words]) => words.includes(simplify(text)))?.[0] ?? nearest(text, key.words);
  return word === undefined ? undefined : `Did you mean ${word}?`;
}

function listMeant(text: string, accepts: (other: unknown) => boolean): string | undefined {
  const items = itemsOf(text);
  if (items.length === 0 || !accepts(items)) return undefined;
  if (!items.every((item) => SHOWN_ITEM.test(item))) return 'Write its items between [ and ].';
  const shown = items.slice(0, MAX_ITEMS).map(asItem);
  return `Write [${[...shown, ...(items.length > shown.length ? ['…'] : [])].join(', ')}].`;
}

function itemsOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter(Boolean);
}

function asItem(text: string): string {
  const isPlain = /^\w[\w./-]*$/.test(text) && Number.isNaN(Number(text));
  return isPlain && !/^(?:true|false|null)$/i.test(text) ? text : JSON.stringify(text);
}
