/** Exported records as a `websites.yaml`. */
import type { Settings } from '../../model/field-table.ts';
import { isSecretRef } from '../../model/secret.ts';
import { safeJson } from '../sanitize.ts';
import { commonSettings, type Exported, type ExportedWebsite } from './export.ts';
import { type ExportEntry, entriesOf, type Written } from './values.ts';

/** What stands above the records. */
export interface YamlHead {
  /** Where an editor finds the schema. */
  readonly schema?: string;
  /** A sentence each. */
  readonly comments: readonly string[];
  /** The keys of `service`. */
  readonly service: Readonly<Record<string, string>>;
}

/** The file in pieces, none of them longer than one record. Common values stand under `defaults`. */
export function* yamlExport({ websites, ignore }: Exported, head: YamlHead): Generator<string> {
  yield schemaLine(head.schema);
  for (const comment of head.comments) yield `# ${comment}\n`;
  yield 'version: 1\n';
  yield* yamlMap('service', Object.entries(head.service));
  const defaults = commonSettings(websites);
  yield* yamlMap('defaults', entriesOf(defaults));
  yield* list('ignore', ignore.map(yamlText));
  yield* list('websites', recordLines(websites, defaults));
}

/** What tells editors of the schema; empty where none is known. */
export function schemaLine(schema: string | undefined): string {
  return schema === undefined ? '' : `# yaml-language-server: $schema=${schema}\n`;
}

/** A map at the top of a file; nothing where it has no entries. */
export function* yamlMap(key: string, entries: readonly ExportEntry[]): Generator<string> {
  if (entries.length === 0) return;
  yield `\n${key}:\n`;
  for (const entry of entries) yield `${entryText(entry, '  ')}\n`;
}

function* list(key: string, items: Iterable<string>): Generator<string> {
  let some = false;
  for (const item of items) {
    if (!some) yield `\n${key}:\n`;
    some = true;
    yield `  - ${item}\n`;
  }
  if (!some && key === 'websites') yield `\n${key}: []\n`;
}

function* recordLines(websites: readonly ExportedWebsite[], defaults: Settings): Generator<string> {
  for (const { domain, settings } of websites) {
    const entries = entriesOf(settings, defaults);
    yield entries.length === 0
      ? yamlText(domain)
      : [['domain', domain] as const, ...entries]
          .map((entry) => entryText(entry, '    '))
          .join('\n')
          .trimStart();
  }
}

/** Longer lists stand one item a line, so that a change of one is a change of one line. */
const LONGEST_LINE = 100;

export function entryText([key, written]: ExportEntry, indent: string): string {
  const line = `${indent}${key}: ${yamlValue(written)}`;
  if (!Array.isArray(written) || line.length <= LONGEST_LINE) return line;
  return [`${indent}${key}:`, ...written.map((item) => `${indent}  - ${yamlText(item)}`)].join('\n');
}

/** A value on one line. */
export function yamlValue(written: Written): string {
  if (typeof written === 'string') return yamlText(written);
  if (Array.isArray(written)) return `[${written.map(yamlText).join(', ')}]`;
  if (!isSecretRef(written)) return String(written);
  return `{ ${Object.entries(written)
    .map(([key, value]) => `${key}: ${yamlText(value)}`)
    .join(', ')} }`;
}

/** Words that YAML 1.2, or 1.1 before it, takes for something else than text. */
const WORD = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** Texts that need no quotes, not even between brackets. */
const PLAIN = [
  /^[a-z_][\w./-]*$/i,
  /^\d[\w./-]*\.[a-z]{2,}$/i,
  // An IPv4 address or network, and a time.
  /^\d+(?:\.\d+){3}(?:\/\d+)?$/,
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  /^https?:\/\/[\w.-]+(?::\d+)?(?:\/[\w./-]*)?$/,
];

/**
 * A scalar that is read as `text` and as nothing else: bare where that is safe, else in double quotes, whose
 * escapes YAML shares with JSON (YAML 1.2.2, section 5.7). A variable's `${` is doubled.
 */
export function yamlText(text: string): string {
  const literal = text.replaceAll('${', () => '$${');
  const bare = !WORD.test(literal) && PLAIN.some((form) => form.test(literal));
  return bare ? literal : safeJson(JSON.stringify(literal));
}
