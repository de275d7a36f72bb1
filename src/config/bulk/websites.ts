/** The records of a bulk file in the place of its `from`. */
import type { Problem } from '../../model/errors.ts';
import type { Path } from '../read/document.ts';
import type { DeclaredGroup } from '../read/groups.ts';
import type { Inherited } from '../read/levels.ts';
import type { Declarations } from '../read/record-places.ts';
import { problemAt } from '../read/source.ts';
import { type Mapping, readMap, readValue, type Scope, tell } from '../read/validate.ts';
import { FROM_KEYS } from '../schema/keys.ts';
import { mappingOf } from './cells.ts';
import { unknownColumn } from './columns.ts';
import type { BulkFile, BulkFiles } from './files.ts';
import { createRowReader } from './reader.ts';

/** So many errors, and so many warnings, are told of one file. */
const MOST_TOLD = 100;

/** What rows are read with. */
interface Reading {
  readonly bulkFiles: BulkFiles;
  readonly declared: Declarations;
  readonly groups: ReadonlyMap<string, DeclaredGroup>;
}

/** Reads what the `from` of `map` leads to; what is wrong is told in `scope`. */
export function readFrom(
  scope: Scope,
  path: Path,
  map: Mapping,
  inherited: Inherited,
  reading: Reading,
): void {
  readMap(scope, path, map, Object.keys(FROM_KEYS));
  const valid = readValue(scope, [...path, 'from'], FROM_KEYS.from, map.from);
  if (valid === undefined) return;
  const found = reading.bulkFiles.find(scope.file, valid.value);
  if ('bulk' in found) readRows(scope, found, inherited, reading);
  else if ('place' in found) scope.problems.push(found);
  else tell(scope, [...path, 'from'], found);
}

function rowAt(bulk: BulkFile['bulk'], start: number): Mapping | undefined {
  for (const row of bulk.rows()) if (row.start === start && !('fault' in row)) return mappingOf(row);
  return undefined;
}

function readRows(
  yaml: Scope,
  { file, bulk }: BulkFile,
  inherited: Inherited,
  { declared, groups }: Reading,
): void {
  const { document } = bulk;
  const { problems } = yaml;
  const scope = { ...yaml, file, document };
  const read = createRowReader(scope, inherited, groups);
  const list = { scope, path: [], raw: undefined, rowAt: (start: number) => rowAt(bulk, start) };
  const limit = createLimit();
  for (const row of bulk.rows()) {
    const before = problems.length;
    if ('fault' in row) tell(scope, [row.start], row.fault);
    else {
      const website = read(row);
      if (website !== undefined) declared.add(website, list, row.start);
    }
    if (problems.length === before) continue;
    problems.push(...limit.pass(problems.splice(before)));
    if (!limit.isReached()) continue;
    tell(scope, [row.start], { message: `stopped reading after ${MOST_TOLD} errors` });
    break;
  }
  if (limit.left() > 0) {
    tell(scope, [0], {
      code: 'warnings-omitted',
      message: `${limit.left()} more warnings of this file are not shown`,
    });
  }
  const { unknown } = bulk.columns;
  for (const [name, place] of [...unknown].slice(0, MOST_TOLD)) {
    problems.push(problemAt(document.source, place(), unknownColumn(name), document.hidden));
  }
  const more = unknown.size - MOST_TOLD;
  if (more > 0) tell(scope, [0], { message: `${more} more columns of this file are unknown` });
}

/** Lets problems through until there are enough of a kind. */
function createLimit() {
  const told = { error: 0, warning: 0 };
  return {
    pass: (found: readonly Problem[]) => found.filter(({ severity }) => ++told[severity] <= MOST_TOLD),
    isReached: () => told.error >= MOST_TOLD,
    left: () => told.warning - MOST_TOLD,
  };
}
