import {
  FILE_KEYS,
  GROUP_KEYS,
  type Key,
  type Keys,
  SERVICE_KEYS,
  TARGET_KEYS,
} from '../../src/config/schema/keys.ts';

export function fileReference(): string {
  return mapReference(FILE_KEYS);
}

export function groupReference(): string {
  return mapReference(GROUP_KEYS);
}

/** Returns the keys of a target that `service` does not have. */
export function targetReference(): string {
  const shared = Object.values(SERVICE_KEYS).map(({ summary }): string => summary);
  const own = Object.entries(TARGET_KEYS).filter(([, { summary }]) => !shared.includes(summary));
  return keyReference(Object.fromEntries(own));
}

function mapReference(keys: Readonly<Record<string, Pick<Key, 'summary' | 'examples'>>>): string {
  const rows = Object.entries(keys).map(([name, { summary, examples }]) => [
    codeOf(name),
    summary,
    examples.map(codeOf).join(', '),
  ]);
  return markdownTable([['key', 'description', 'example'], ...rows]);
}

/** Returns a table of `keys` with their types, and a final line end. */
export function keyReference(keys: Keys): string {
  const rows = Object.entries(keys).map(([name, key]) => [
    codeOf(name),
    key.summary,
    typeWords(key),
    key.examples.map(codeOf).join(', '),
    key.cleared ?? '',
  ]);
  return markdownTable([['key', 'description', 'value', 'example', '`null`'], ...rows]);
}

function codeOf(text: string): string {
  return `\`${text}\``;
}

/** Returns a Markdown table with a final line end. The first row is the header. */
export function markdownTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`)
    .join('');
}

/** Returns the type in words, from the schema's own error message. */
function typeWords({ schema }: Key): string {
  const refused = schema.safeParse(Symbol.iterator);
  return refused.success ? '' : (refused.error.issues[0]?.message ?? '').replace(/^must be /, '');
}
