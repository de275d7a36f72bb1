/** Shows a plan as a unified diff, from settings of the service to declared settings, with one hunk per record. */
import { diffArrays } from 'diff';
import { type Change, type FieldChanges, isSecretChange } from '../model/change.ts';
import { FIELD_NAMES, FIELDS, type FieldName, SECRET_NAMES, type Settings } from '../model/field-table.ts';
import { isEmpty } from '../model/field-types.ts';
import type { Plan } from '../model/plan.ts';
import { SENSITIVE } from '../model/secret.ts';
import { entryText, writtenOf, yamlText } from './export/yaml.ts';
import { leading } from './sanitize.ts';
import { pageOf, type RenderOptions } from './text.ts';
import { patchText } from './unified-diff.ts';

export function planDiff({ changes, service }: Plan, options: RenderOptions): string {
  if (changes.length === 0) return '';
  let [oldStart, newStart] = [1, 1];
  const hunks = changes.map((change) => {
    const [before, after] = sidesOf(change);
    const lines = diffArrays(before, after).flatMap(({ added, removed, value }) =>
      value.map((line) => (added ? '+' : removed ? '-' : ' ') + line.replace(SENT, '')),
    );
    const hunk = { oldStart, newStart, oldLines: before.length, newLines: after.length, lines };
    oldStart += before.length;
    newStart += after.length;
    return hunk;
  });
  const patch = { oldFileName: leading(service.base_url), newFileName: 'configuration', hunks };
  return patchText(patch, pageOf(options).style);
}

/** Marks the line of a password that is sent, so that the line differs from the current one. */
const SENT = '\0';

/** Returns the lines of the current and of the declared record. A missing record has no lines. */
function sidesOf(change: Change): readonly [string[], string[]] {
  const { action, domain } = change;
  if (action === 'delete') return [recordLines(domain, change.before), []];
  const { fields } = change;
  const sent = SECRET_NAMES.some((name) => isSet(fields[name])) ? SENT : undefined;
  const values = Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => (isSecretChange(field) ? [] : [[name, field.after]])),
  );
  if (action === 'create') return [[], recordLines(domain, values, sent)];
  const current = change.password_set ? '' : undefined;
  const isNamed = SECRET_NAMES.some((name) => fields[name] !== undefined);
  // Settings that are only sent along are no difference, because the service does not show them.
  const after = { ...change.before, ...values };
  return [
    recordLines(domain, change.before, current, after),
    recordLines(domain, after, isNamed ? sent : current, change.before),
  ];
}

function isSet(field: FieldChanges[FieldName]): boolean {
  return field !== undefined && isSecretChange(field) && field.ref !== null;
}

/** `password` is the end of the password's line. An empty value has a line only if the `other` side has a value. */
function recordLines(domain: string, settings: Settings, password?: string, other: Settings = {}): string[] {
  const lines = FIELD_NAMES.flatMap((name): string[] => {
    if (FIELDS[name].secret) return password === undefined ? [] : [`  ${name}: ${SENSITIVE}${password}`];
    const value = settings[name];
    if (value === undefined || (isEmpty(value) && isEmpty(other[name] ?? null))) return [];
    // Lists are sets, so a different order is no difference.
    const sorted = Array.isArray(value) ? value.toSorted() : value;
    return entryText(writtenOf(name, sorted), '  ', 0).split('\n');
  });
  return [`- domain: ${yamlText(domain)}`, ...lines];
}
