import type { Problem } from '../../model/errors.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import { createRecordReader, type Inherited, type ReadContext, type RowGroups } from '../read/records.ts';
import { problemAt, type Scope, Spot } from '../read/source.ts';
import type { Bulk } from './bulk.ts';
import { unknownColumn } from './columns.ts';
import type { BulkFile } from './files.ts';
import { type BulkRow, mappingOf } from './rows.ts';

/** Returns a function that reads rows of a bulk file. A row without a group gets the defaults of `inherited`. */
export function createRowReader(
  scope: Scope,
  { keysOf }: Pick<Bulk, 'keysOf'>,
  inherited: Inherited,
  groups: RowGroups,
): (row: BulkRow) => DesiredWebsite | undefined {
  const read = createRecordReader(new Spot(scope, []), inherited, scope.document.source.placeAt, groups);
  return (row) => {
    const { start, cells } = row;
    const keys = keysOf(row);
    const index = keys.indexOf('domain');
    const rest: unknown[] = [];
    for (let at = 0; at < cells.length; at++) {
      const key = keys[at];
      const cell = cells[at];
      if (at !== index && key !== undefined && cell !== '') rest.push(key, cell);
    }
    return read(start, cells[index], rest, () => mappingOf(keys, cells));
  };
}

/** Maximum number of errors, and of warnings, of one bulk file. */
const MAX_REPORTED = 100;

export function readRows(
  yaml: Scope,
  { file, bulk }: BulkFile,
  inherited: Inherited,
  reading: ReadContext,
): void {
  const { problems } = yaml;
  const scope = { ...yaml, file, document: bulk.document };
  const read = createRowReader(scope, bulk, inherited, reading.groups);
  const list = { at: new Spot(scope, []), rawAt: bulk.rowAt };
  const reported = { error: 0, warning: 0 };
  const isReported = ({ severity }: Problem): boolean => ++reported[severity] <= MAX_REPORTED;
  for (const row of bulk.rows()) {
    const before = problems.length;
    const website = 'fault' in row ? undefined : read(row);
    if (website !== undefined) reading.declared.add(website, list, row.start);
    if ('fault' in row) new Spot(scope, [row.start]).report(row.fault);
    if (problems.length === before) continue;
    problems.push(...problems.splice(before).filter(isReported));
    if (reported.error < MAX_REPORTED) continue;
    new Spot(scope, [row.start]).report({ message: `stopped reading after ${MAX_REPORTED} errors` });
    break;
  }
  const left = reported.warning - MAX_REPORTED;
  const message = `${left} more warnings of this file are not shown`;
  if (left > 0) new Spot(scope, [0]).report({ code: 'warnings-omitted', message });
  const { source, hidden } = bulk.document;
  for (const column of bulk.columns.unknown.slice(0, MAX_REPORTED)) {
    problems.push(problemAt(source, column.place(), unknownColumn(column), hidden));
  }
}
