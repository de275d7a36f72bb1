/** The service's settings are on the left, the wanted ones on the right, with a hunk per record. */
import { diffArrays, type StructuredPatchHunk } from 'diff';
import { type Change, type FieldChanges, isSecretChange } from '../model/change.ts';
import { FIELD_NAMES, FIELDS, type FieldName, SECRET_NAMES, type Settings } from '../model/field-table.ts';
import { isEmpty, type Value } from '../model/field-types.ts';
import type { Plan } from '../model/plan.ts';
import { SENSITIVE } from '../model/secret.ts';
import { writtenOf, yamlText, yamlValue } from './export/yaml.ts';
import { leading } from './sanitize.ts';
import { pageOf, type RenderOptions } from './text.ts';
import { patchText } from './unified-diff.ts';

export function planDiff({ changes, service }: Plan, options: RenderOptions): string {
  if (changes.length === 0) return '';
  const hunks: StructuredPatchHunk[] = [];
  let [oldStart, newStart] = [1, 1];
  for (const change of changes) {
    const lines = hunkLines(change);
    const [oldLines, newLines] = [countOf(lines, '+'), countOf(lines, '-')];
    hunks.push({ oldStart, oldLines, newStart, newLines, lines });
    oldStart += oldLines;
    newStart += newLines;
  }
  const patch = { oldFileName: leading(service.base_url), newFileName: 'configuration', hunks };
  return patchText(patch, pageOf(options).style);
}

function countOf(lines: readonly string[], sign: string): number {
  return lines.filter((line) => !line.startsWith(sign)).length;
}

/** A line of a record. One that `isSent` differs from the same line of the other side. */
interface Line {
  readonly text: string;
  readonly isSent?: boolean;
}

function hunkLines(change: Change): string[] {
  const [before, after] = sidesOf(change);
  const parts = diffArrays(before, after, {
    comparator: (a, b) => a.text === b.text && !b.isSent,
  });
  return parts.flatMap(({ added, removed, value }) => {
    const sign = added ? '+' : removed ? '-' : ' ';
    return value.map(({ text }) => sign + text);
  });
}

/** The current and the wanted record; a missing one has no lines. */
function sidesOf(change: Change): readonly [Line[], Line[]] {
  const { action, domain } = change;
  if (action === 'delete') return [record(domain, change.before), []];
  if (action === 'create') {
    return [[], record(domain, valuesOf(change.fields), secretLines(change.fields))];
  }
  const hasPassword = change.password_set === true ? [{ text: `password: ${SENSITIVE}` }] : [];
  const isNamed = SECRET_NAMES.some((name) => change.fields[name] !== undefined);
  // Settings sent along are no difference, because the service does not show them.
  const after = { ...change.before, ...inOrderOf(change.before, valuesOf(change.fields)) };
  return [
    record(domain, change.before, hasPassword, after),
    record(domain, after, isNamed ? secretLines(change.fields) : hasPassword, change.before),
  ];
}

function valuesOf(fields: FieldChanges): Settings {
  const entries = FIELD_NAMES.flatMap((name): [FieldName, Value][] => {
    const change = fields[name];
    return change === undefined || isSecretChange(change) ? [] : [[name, change.after]];
  });
  return Object.fromEntries(entries);
}

/** Lists are sets: items that stay keep their order. */
function inOrderOf(before: Settings, after: Settings): Settings {
  const entries = Object.entries(after).map(([name, value]) => {
    const had = before[name as FieldName];
    if (!Array.isArray(value) || !Array.isArray(had)) return [name, value];
    const [was, is] = [new Set(had), new Set(value)];
    return [name, [...had.filter((item) => is.has(item)), ...value.filter((item) => !was.has(item))]];
  });
  return Object.fromEntries(entries);
}

function secretLines(fields: FieldChanges): Line[] {
  return SECRET_NAMES.flatMap((name): Line[] => {
    const change = fields[name];
    const isSet = change !== undefined && isSecretChange(change) && change.ref !== null;
    return isSet ? [{ text: `${name}: ${SENSITIVE}`, isSent: true }] : [];
  });
}

/** An empty value has a line if the `other` side has a value. */
function record(domain: string, settings: Settings, secrets: Line[] = [], other: Settings = {}): Line[] {
  const lines = FIELD_NAMES.flatMap((name): Line[] => {
    if (FIELDS[name].secret) return secrets.filter(({ text }) => text.startsWith(`${name}:`));
    const value = settings[name];
    if (value === undefined || (isEmpty(value) && isEmpty(other[name] ?? null))) return [];
    return entryLines(name, value);
  });
  return [
    { text: `- domain: ${yamlText(domain)}` },
    ...lines.map((line) => ({ ...line, text: `  ${line.text}` })),
  ];
}

function entryLines(name: FieldName, value: Value): Line[] {
  const [key, written] = writtenOf(name, value);
  if (!Array.isArray(written) || written.length === 0) return [{ text: `${key}: ${yamlValue(written)}` }];
  return [`${key}:`, ...written.map((item) => `  - ${yamlText(item)}`)].map((text) => ({ text }));
}
