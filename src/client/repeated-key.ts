/** A service may repeat the API key in what it answers; as a value it would get into plans, journals and files. */
import { isObject } from '../util/json.ts';
import { holdsKey } from '../util/key-filter.ts';
import { REPEATED_KEY } from './shape.ts';

/** Links are followed as they are, and shown nowhere. */
const LINKS: ReadonlySet<string> = new Set(['links', 'next_page_url']);

/** `json`, which is that of `body`, with a mark that cannot be read in the place of each text that holds the key. */
export function withoutRepeatedKey(json: unknown, body: string): unknown {
  return holdsKey(body) ? marked(json) : json;
}

function marked(value: unknown): unknown {
  if (typeof value === 'string') return holdsKey(value) ? REPEATED_KEY : value;
  if (Array.isArray(value)) return value.map(marked);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, LINKS.has(name) ? one : marked(one)]),
  );
}
