import { FIELD_NAMES, FIELDS, type FieldName, isNumeric, type Settings } from '../../model/field-table.ts';
import type { Value } from '../../model/field-types.ts';
import { isSecretRef, type SecretRef } from '../../model/secret.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import { safeJson } from '../sanitize.ts';
import type { Exported } from './export.ts';

export type Written = boolean | number | string | readonly string[] | SecretRef | null;

export type ExportEntry = readonly [key: string, written: Written];

/** Writes numbers by name, and a presence by its own key or by `known`, the key that the file has. */
export function writtenOf(name: FieldName, value: Value, known?: string): ExportEntry {
  const { kind, presenceKey } = FIELDS[name];
  const isTime = typeof value === 'string' ? known !== presenceKey : known === name && value === null;
  if (presenceKey !== undefined && !isTime) return [presenceKey, value !== null];
  // A file declares a missing number as `false`.
  if (value === null && isNumeric(name)) return [name, false];
  if (typeof value !== 'number') return [name, value];
  const shown = String(kind.show(value));
  return [name, shown === String(value) ? value : shown];
}

/** Returns the reason that the loader would reject the value, or `undefined`. */
export function whyUnwritable(name: FieldName, value: Value): string | undefined {
  const [key, written] = writtenOf(name, value);
  if (key !== name) return undefined;
  const { kind } = FIELDS[name];
  const read = kind.input.safeParse(written);
  if (!read.success) return read.error.issues[0]?.message ?? 'is refused';
  return kind.equal(read.data, value) ? undefined : 'would be read back as another value';
}

function entriesOf(settings: Settings, defaults: Settings = {}): ExportEntry[] {
  return FIELD_NAMES.flatMap((name): ExportEntry[] => {
    const [value, common] = [settings[name], defaults[name]];
    if (value === undefined) return [];
    // A presence equals any time and is less exact, so a default presence does not replace a time.
    const isImplied = typeof common === typeof value && FIELDS[name].kind.equal(common ?? null, value);
    return isImplied ? [] : [writtenOf(name, value)];
  });
}

export interface YamlHead {
  readonly comments?: readonly string[];
  readonly service?: Readonly<Record<string, string>>;
}

interface Listed extends Pick<Exported, 'unlisted'> {
  readonly websites: readonly Declared[];
}

/** Returns a file in pieces. No piece is longer than one record. */
export function* yamlFile(
  { comments = [], service = {} }: YamlHead,
  defaults: Settings,
  { websites = [], unlisted = [] }: Partial<Listed> = {},
): Generator<string> {
  for (const comment of comments) yield `# ${comment}\n`;
  yield 'version: 1\n';
  for (const [key, entries] of [
    ['service', Object.entries(service)],
    ['defaults', entriesOf(defaults)],
  ] as const) {
    const lines = entries.map((entry) => `${entryText(entry, '  ')}\n`);
    if (lines.length > 0) yield `\n${key}:\n${lines.join('')}`;
  }
  const ignore = new Set(unlisted.flatMap(({ pattern }) => pattern ?? []));
  if (ignore.size > 0) yield '\nignore:\n';
  for (const pattern of ignore) yield `  - ${yamlText(pattern)}\n`;
  yield websites.length > 0 ? '\nwebsites:\n' : '\nwebsites: []\n';
  for (const website of websites) {
    if (website.group !== undefined) yield `  # group ${yamlText(website.group)}\n`;
    yield `  - ${indented(recordYaml(website, defaults))}\n`;
  }
}

function indented(item: string): string {
  return item.replaceAll('\n', '\n    ');
}

export type RecordStyle = 'block' | 'flow';

type Declared = Pick<DesiredWebsite, 'domain' | 'settings'> & Partial<DesiredWebsite>;

/** Returns a record with the settings that differ from `defaults`. */
export function recordYaml(
  { domain, state = 'present', protect = false, settings }: Declared,
  defaults: Settings,
  style: RecordStyle = 'block',
): string {
  const entries: ExportEntry[] = [
    ['domain', domain],
    ...(state === 'absent' ? [['state', state] as const] : entriesOf(settings, defaults)),
    ...(protect && state === 'present' ? [['protect', true] as const] : []),
  ];
  if (entries.length === 1) return yamlText(domain);
  return style === 'block'
    ? entries.map((entry) => entryText(entry, '')).join('\n')
    : `{ ${entries.map(([key, written]) => `${key}: ${yamlValue(written)}`).join(', ')} }`;
}

export function groupYaml(name: string, records: readonly string[], style: RecordStyle): string {
  if (style === 'flow') return `{ group: ${yamlText(name)}, websites: [${records.join(', ')}] }`;
  const items = records.map((record) => `  - ${indented(record)}`);
  return [`group: ${yamlText(name)}`, 'websites:', ...items].join('\n');
}

/** Maximum length of a list on one line. A longer list has one item per line, so that a diff shows one item. */
const MAX_LINE = 100;

export function entryText([key, written]: ExportEntry, indent: string, longest = MAX_LINE): string {
  const line = `${indent}${key}: ${yamlValue(written)}`;
  if (!Array.isArray(written) || written.length === 0 || line.length <= longest) return line;
  return [`${indent}${key}:`, ...written.map((item) => `${indent}  - ${yamlText(item)}`)].join('\n');
}

function yamlValue(written: Written): string {
  if (typeof written === 'string') return yamlText(written);
  if (Array.isArray(written)) return `[${written.map(yamlText).join(', ')}]`;
  if (!isSecretRef(written)) return String(written);
  const members = Object.entries(written).map(([key, value]) => `${key}: ${yamlText(value)}`);
  return `{ ${members.join(', ')} }`;
}

/** Words that YAML 1.2 or 1.1 does not read as strings. */
const WORD = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** Strings that need no quotes, also inside brackets. */
const PLAIN = [
  /^[a-z_][\w./-]*$/i,
  /^\d[\w./-]*\.[a-z]{2,}$/i,
  /^\d+(?:\.\d+){3}(?:\/\d+)?$/,
  /^\d{4}-\d\d-\d\dT[\d:]+Z$/,
  /^https?:\/\/[\w.:/-]*[\w/]$/,
];

/** Quotes a text only if that is needed, with the escapes of JSON (YAML 1.2.2, section 5.7). Doubles the $ of `${`. */
export function yamlText(text: string): string {
  const literal = text.replaceAll('${', () => '$${');
  const bare = !WORD.test(literal) && PLAIN.some((form) => form.test(literal));
  return bare ? literal : safeJson(JSON.stringify(literal));
}

export const WRITING = {
  entryOf: ({ field, value }: { readonly field: FieldName; readonly value: Value }, key?: string) =>
    writtenOf(field, value, key),
  yaml: yamlValue,
  yamlEntry: entryText,
};
