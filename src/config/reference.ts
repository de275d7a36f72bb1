/** The reference of the YAML keys for the docs, from the tables of keys. */
import { type Key, RECORD_KEYS, SERVICE_KEYS } from './keys.ts';

/** A Markdown table of every key of a record, settings included. Ends in a line end. */
export function fieldReference(): string {
  return table(RECORD_KEYS);
}

/** A Markdown table of the keys under `service`. Ends in a line end. */
export function serviceReference(): string {
  return table(SERVICE_KEYS);
}

function table(keys: Readonly<Record<string, Key>>): string {
  const rows = Object.entries(keys).map(([name, key]) => [
    `\`${name}\``,
    key.summary,
    typeWords(key),
    key.examples.map((example) => `\`${example}\``).join(', '),
    key.cleared ?? '',
  ]);
  const lines = [
    ['key', 'what it is', 'value', 'for example', '`null`'],
    ['---', '---', '---', '---', '---'],
    ...rows,
  ];
  return lines
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`)
    .join('');
}

/** What the schema asks for, in the words in which it refuses anything else. */
function typeWords({ schema }: Key): string {
  const refused = schema.safeParse(Symbol.iterator);
  return refused.success ? '' : (refused.error.issues[0]?.message ?? '').replace(/^must be /, '');
}
