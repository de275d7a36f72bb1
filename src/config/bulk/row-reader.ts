import type { Problem } from '../../model/errors.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import { createRecordReader, type Inherited, type ReadContext, type RowGroups } from '../read/records.ts';
import { type Scope, Spot } from '../read/source.ts';
import { unknownColumn } from './columns.ts';
import type { BulkFile } from './files.ts';
import { type BulkRow, mappingOf, type RowStart, type TakeKnown } from './rows.ts';

/** Returns functions that read rows of a bulk file. A row without a group gets the defaults of `inherited`. */
export function createRowReader(scope: Scope, inherited: Inherited, groups: RowGroups) {
  const { placeAt } = scope.document.source;
  const { read, readKnown } = createRecordReader(new Spot(scope, []), inherited, placeAt, groups);
  return {
    readRow({ start, shape: { keys }, cells, rest }: BulkRow): DesiredWebsite | undefined {
      const index = keys.indexOf('domain');
      const others: unknown[] = [];
      for (let at = 0; at < cells.length; at++) {
        const key = keys[at];
        const cell = cells[at];
        if (at !== index && key !== undefined && cell !== '') others.push(key, cell);
      }
      const same = rest === undefined || index > 0 ? others : [rest];
      return read(start, cells[index], same, () => mappingOf(keys, cells));
    },
    readKnown: ({ start, domain, rest }: RowStart): DesiredWebsite | undefined =>
      readKnown(start, domain, [rest]),
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
  const { readRow, readKnown } = createRowReader(scope, inherited, reading.groups);
  const list = { at: new Spot(scope, []), rawAt: bulk.rowAt };
  const reported = { error: 0, warning: 0 };
  const isReported = ({ severity }: Problem): boolean => ++reported[severity] <= MAX_REPORTED;
  const take: TakeKnown = (row) => {
    const website = readKnown(row);
    if (website !== undefined) reading.declared.add(website, list, row.start);
    return website !== undefined;
  };
  for (const row of bulk.rows(take)) {
    const before = problems.length;
    const website = 'fault' in row ? undefined : readRow(row);
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
  for (const column of bulk.columns.unknown.slice(0, MAX_REPORTED)) {
    new Spot(scope, [column.start, column.name]).report(unknownColumn(column));
  }
}
