/** Shows a plan as a unified diff, from settings of the service to declared settings, with one hunk per record. */
import { diffArrays } from 'diff';
import { type Change, isSecretChange } from '../model/change.ts';
import { FIELD_NAMES, FIELDS, type FieldName } from '../model/field-table.ts';
import { isEmpty, type Value } from '../model/field-types.ts';
import type { Plan } from '../model/plan.ts';
import { SENSITIVE } from '../model/secret.ts';
import { entryText, writtenOf, yamlText } from './export/yaml.ts';
import { fieldsOf } from './groups.ts';
import { leading } from './sanitize.ts';
import { pageOf, type RenderOptions } from './text.ts';
import { patchText } from './unified-diff.ts';

const SIGNS = { create: '+', update: ' ', delete: '-' };

export function planDiff({ changes, service }: Plan, options: RenderOptions): string {
  if (changes.length === 0) return '';
  let [oldStart, newStart] = [1, 1];
  const hunks = changes.map((change) => {
    const head = `${SIGNS[change.action]}- domain: ${yamlText(change.domain)}`;
    const lines = [head, ...FIELD_NAMES.flatMap((name) => fieldLines(change, name))];
    const without = (sign: string): number => lines.filter((line) => !line.startsWith(sign)).length;
    const hunk = { oldStart, newStart, oldLines: without('+'), newLines: without('-'), lines };
    oldStart += hunk.oldLines;
    newStart += hunk.newLines;
    return hunk;
  });
  const patch = { oldFileName: leading(service.base_url), newFileName: 'configuration', hunks };
  return patchText(patch, pageOf(options).style);
}

/** Omits settings that are only sent along: the service does not show them, so they are no difference. */
function fieldLines(change: Change, name: FieldName): string[] {
  const field = fieldsOf(change)[name];
  const before = change.action === 'create' ? undefined : change.before[name];
  if (!FIELDS[name].secret) {
    const after =
      field && !isSecretChange(field) ? field.after : change.action === 'delete' ? undefined : before;
    const parts = diffArrays(linesOf(name, before, after), linesOf(name, after, before));
    return parts.flatMap(({ added, removed, value }) =>
      value.map((line) => (added ? '+' : removed ? '-' : ' ') + line),
    );
  }
  const line = `  ${name}: ${SENSITIVE}`;
  const isSet = change.action === 'update' && change.password_set;
  if (field === undefined) return isSet ? [` ${line}`] : [];
  const isSent = isSecretChange(field) && field.ref !== null;
  return [...(isSet ? [`-${line}`] : []), ...(isSent ? [`+${line}`] : [])];
}

/** An empty value has a line only if the `other` side has a value. */
function linesOf(name: FieldName, value: Value | undefined, other: Value = null): string[] {
  if (value === undefined || (isEmpty(value) && isEmpty(other))) return [];
  // Lists are sets, so a different order is no difference.
  const sorted = Array.isArray(value) ? value.toSorted() : value;
  return entryText(writtenOf(name, sorted), '  ', 0).split('\n');
}
