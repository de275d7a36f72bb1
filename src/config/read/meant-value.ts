/** What was probably meant by a value that its key does not take: a remedy, which never has a secret in it. */
import { ALL_SECRET_KEYS, type Key, PRESENCE_FIELDS, SETTING_KEYS } from '../schema/keys.ts';
import { wordMeant } from './other-names.ts';

/** So many items of a list are shown. */
const MOST_ITEMS = 5;
/** What may be shown of one: nothing that may hold a login or a key. */
const SHOWN_ITEM = /^[^@?#]{1,60}$/;

/** Of a value under the key `name`; `undefined` where nothing is near it. */
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

/** Of an item of a list. */
export function itemMeant(key: Key, item: unknown): string | undefined {
  if (typeof item !== 'string') {
    return isScalar(item) && key.schema.safeParse([String(item)]).success ? 'Put it in quotes.' : undefined;
  }
  const items = itemsOf(item);
  const isSeveral = items.length > 1 && key.schema.safeParse(items).success;
  return isSeveral ? 'Write each one as an item of its own.' : undefined;
}

function isScalar(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

/** As bulk files write references. */
function secretMeant(value: unknown, accepts: (other: unknown) => boolean): string | undefined {
  if (typeof value !== 'string') {
    return isScalar(value) && accepts(String(value)) ? 'Put it in quotes, or use { env: NAME }.' : undefined;
  }
  const [, kind] = /^(env|file):/.exec(value) ?? [];
  return kind === undefined ? undefined : `Write { ${kind}: ${kind === 'env' ? 'NAME' : 'PATH'} }.`;
}

/** A time goes by one key, and a yes or no by another. */
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
  const word = key.words === undefined ? undefined : wordMeant(name, text, key.words);
  return word === undefined ? undefined : `Did you mean ${word}?`;
}

function listMeant(text: string, accepts: (other: unknown) => boolean): string | undefined {
  const items = itemsOf(text);
  if (items.length === 0 || !accepts(items)) return undefined;
  if (!items.every((item) => SHOWN_ITEM.test(item))) return 'Write its items between [ and ].';
  const shown = items.slice(0, MOST_ITEMS).map(asItem);
  return `Write [${[...shown, ...(items.length > shown.length ? ['…'] : [])].join(', ')}].`;
}

function itemsOf(text: string): string[] {
  return text.split(/[\s,;]+/).filter(Boolean);
}

/** With quotes where YAML may take it for something else. */
function asItem(text: string): string {
  const isPlain = /^\w[\w./-]*$/.test(text) && Number.isNaN(Number(text));
  return isPlain && !/^(?:true|false|null)$/i.test(text) ? text : JSON.stringify(text);
}
