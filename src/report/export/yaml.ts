import { FIELDS, type FieldName, PRIVACY, type Settings } from '../../model/field-table.ts';
import type { Value } from '../../model/field-types.ts';
import { isSecretRef } from '../../model/secret.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import { safeJson } from '../sanitize.ts';
import { commonSettings, type Exported, type ExportedWebsite } from './export.ts';
import { type ExportEntry, entriesOf, type Written, whyUnwritable, writtenOf } from './values.ts';

export interface YamlHead {
  readonly schema?: string | undefined;
  readonly comments?: readonly string[];
  readonly service: Readonly<Record<string, string>>;
}

/** The file in pieces, none of them longer than one record. */
export function* yamlExport(
  { websites, ignore }: Exported,
  head: YamlHead,
  defaults = commonSettings(websites),
): Generator<string> {
  yield* yamlHead(head, defaults);
  yield* list('ignore', ignore.map(yamlText));
  yield* list('websites', recordsOf(websites, defaults));
}

export function newYaml(head: YamlHead, defaults: Settings): string {
  return [...yamlHead(head, defaults), '\nwebsites: []\n'].join('');
}

function* yamlHead({ schema, comments = [], service }: YamlHead, defaults: Settings): Generator<string> {
  yield schemaLine(schema);
  for (const comment of comments) yield `# ${comment}\n`;
  yield 'version: 1\n';
  for (const [key, entries] of [
    ['service', Object.entries(service)],
    ['defaults', entriesOf(defaults)],
  ] as const) {
    if (entries.length > 0)
      yield `\n${key}:\n${entries.map((entry) => `${entryText(entry, '  ')}\n`).join('')}`;
  }
}

export function schemaLine(schema: string | undefined): string {
  return schema === undefined ? '' : `# yaml-language-server: $schema=${schema}\n`;
}

function* list(key: string, items: Iterable<string>): Generator<string> {
  let some = false;
  for (const item of items) {
    if (!some) yield `\n${key}:\n`;
    some = true;
    yield `  - ${item.replaceAll('\n', '\n    ')}\n`;
  }
  if (!some && key === 'websites') yield '\nwebsites: []\n';
}

function* recordsOf(websites: readonly ExportedWebsite[], defaults: Settings): Generator<string> {
  for (const website of websites) yield exportedYaml(website, defaults, 'block');
}

export type RecordStyle = 'block' | 'flow';

/** A declared record: the settings that differ from `defaults`. */
export function declaredYaml(website: DesiredWebsite, defaults: Settings, style: RecordStyle): string {
  const { domain, state, protect, settings } = website;
  if (state === 'absent') return recordYaml(domain, [['state', 'absent']], style);
  const entries = entriesOf(settings, defaults);
  return recordYaml(domain, protect ? [...entries, ['protect', true]] : entries, style);
}

/** Without a password, the record declares that if it would inherit one from the defaults. */
export function exportedYaml(
  { domain, settings }: ExportedWebsite,
  defaults: Settings,
  style: RecordStyle,
): string {
  const hasOther = settings.privacy === PRIVACY.password && defaults.password !== undefined;
  return recordYaml(
    domain,
    entriesOf(hasOther ? { password: null, ...settings } : settings, defaults),
    style,
  );
}

function recordYaml(domain: string, settings: readonly ExportEntry[], style: RecordStyle): string {
  if (settings.length === 0) return yamlText(domain);
  const entries: ExportEntry[] = [['domain', domain], ...settings];
  return style === 'block'
    ? entries.map((entry) => entryText(entry, '')).join('\n')
    : `{ ${entries.map(([key, written]) => `${key}: ${yamlValue(written)}`).join(', ')} }`;
}

export function groupYaml(name: string, records: readonly string[], style: RecordStyle): string {
  if (style === 'flow') return `{ group: ${yamlText(name)}, websites: [${records.join(', ')}] }`;
  const items = records.map((record) => `  - ${record.replaceAll('\n', '\n    ')}`);
  return [`group: ${yamlText(name)}`, 'websites:', ...items].join('\n');
}

/** Longer lists have one item per line, so that a change of one item changes one line. */
const MAX_LINE = 100;

export function entryText([key, written]: ExportEntry, indent: string): string {
  const line = `${indent}${key}: ${yamlValue(written)}`;
  if (!Array.isArray(written) || line.length <= MAX_LINE) return line;
  return [`${indent}${key}:`, ...written.map((item) => `${indent}  - ${yamlText(item)}`)].join('\n');
}

export function yamlValue(written: Written): string {
  if (typeof written === 'string') return yamlText(written);
  if (Array.isArray(written)) return `[${written.map(yamlText).join(', ')}]`;
  if (!isSecretRef(written)) return String(written);
  return `{ ${Object.entries(written)
    .map(([key, value]) => `${key}: ${yamlText(value)}`)
    .join(', ')} }`;
}

/** Words that YAML 1.2, or 1.1 before it, does not read as strings. */
const WORD = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** Strings that need no quotes, not even in brackets. */
const PLAIN = [
  /^[a-z_][\w./-]*$/i,
  /^\d[\w./-]*\.[a-z]{2,}$/i,
  /^\d+(?:\.\d+){3}(?:\/\d+)?$/,
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
  /^https?:\/\/[\w.-]+(?::\d+)?(?:\/[\w./-]*)?$/,
];

/** Quotes only if needed; the escapes are those of JSON (YAML 1.2.2, section 5.7). A `${` is doubled. */
export function yamlText(text: string): string {
  const literal = text.replaceAll('${', () => '$${');
  const bare = !WORD.test(literal) && PLAIN.some((form) => form.test(literal));
  return bare ? literal : safeJson(JSON.stringify(literal));
}

export const WRITING = {
  entryOf({ field, value }: { readonly field: FieldName; readonly value: Value }, key?: string): ExportEntry {
    const { presenceKey } = FIELDS[field];
    if (presenceKey !== undefined && key === presenceKey) return [key, value !== null];
    return presenceKey !== undefined && key === field && value === null
      ? [key, null]
      : writtenOf(field, value);
  },
  yaml: yamlValue,
  yamlEntry: entryText,
  whyUnwritable,
};
