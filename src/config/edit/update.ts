/** Records of files that are to declare other values → the texts of those files with them (decision: "Accepted drift is written back in place"). */
import { PRIVACY } from '../../model/field-table.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import { isHarmless } from '../bulk/bulk.ts';
import type { ConfigFile } from '../files/files.ts';
import { isPassword } from '../read/levels.ts';
import type { Origin } from '../read/record-places.ts';
import { createSource, type Hidden, type Source, shownOf } from '../read/source.ts';
import { isMap } from '../read/validate.ts';
import { readYaml } from '../yaml/fast/read.ts';
import { applyEdits, type Edit } from './edits.ts';
import { editRecord } from './record.ts';
import type { NewValue, NotWritten, RecordEdits, Writing } from './writing.ts';

/** A record that is to declare other values; `origin` is where it is written. */
export interface RecordUpdate {
  readonly desired: Pick<DesiredWebsite, 'settings'>;
  readonly origin: Origin;
  readonly values: readonly NewValue[];
}

/** A file and what becomes of its text. */
export interface UpdatedFile {
  readonly file: ConfigFile;
  readonly source: Source;
  readonly after: string;
  readonly isTable: boolean;
}

/** Both texts without secrets, for a person to look at. Of a table that could be loaded, no cell is a secret. */
export async function shownTexts({
  source,
  after,
  isTable,
}: UpdatedFile): Promise<{ before: string; after: string }> {
  const shown = async (one: Source): Promise<string> => {
    const hidden: Hidden = isTable
      ? (line) => (isHarmless(one.lineAt(line)) ? undefined : 1)
      : ((await readYaml(one)).document?.hidden ?? (() => 1));
    return shownOf(one.text, { line: 1, column: 1 }, hidden);
  };
  return { before: await shown(source), after: await shown(createSource(source.name, after)) };
}

/** The files whose text changes, and for each of `updates` what is not written. */
export function updateFiles(
  updates: readonly RecordUpdate[],
  into: string,
  writing: Writing,
): { readonly files: readonly UpdatedFile[]; readonly notWritten: readonly (readonly NotWritten[])[] } {
  const edited = new Map<string, Omit<UpdatedFile, 'after'> & { readonly edits: Edit[] }>();
  const notWritten = updates.map((update) => {
    const { scope, table } = update.origin;
    const { file, document } = scope;
    const { edits, notWritten } = editsOf(update, into, writing);
    const source = table?.raw ?? document.source;
    const known = edited.get(file.absolute) ?? { file, source, isTable: table !== undefined, edits: [] };
    edited.set(file.absolute, known);
    known.edits.push(...edits);
    return notWritten;
  });
  const files = [...edited.values()].flatMap(({ edits, ...file }) =>
    edits.length === 0 ? [] : [{ ...file, after: applyEdits(file.source.text, edits) }],
  );
  return { files, notWritten };
}

function editsOf({ desired, origin, values }: RecordUpdate, into: string, writing: Writing): RecordEdits {
  const { scope, path, raw, table } = origin;
  const { path: named, absolute } = table?.namedIn ?? scope.file;
  const fit: NewValue[] = [];
  const notWritten: NotWritten[] = [];
  for (const value of values) {
    const reason =
      absolute === into
        ? contradiction(desired, origin, value)
        : `cannot be written: the record is declared in ${named}`;
    if (reason === undefined) fit.push(value);
    else notWritten.push({ field: value.field, reason });
  }
  if (fit.length === 0) return { edits: [], notWritten };
  const found =
    table === undefined
      ? editRecord(scope.document, path, raw, fit, writing)
      : table.edit(Number(path.at(-1)), fit, writing);
  return { edits: found.edits, notWritten: [...notWritten, ...found.notWritten] };
}

/** A record that declares a password of its own cannot be open to all or nobody. */
function contradiction(
  desired: RecordUpdate['desired'],
  { written }: Origin,
  { field, value }: NewValue,
): string | undefined {
  if (field !== 'privacy' || value === PRIVACY.password) return undefined;
  // One that comes from elsewhere is of no account then. A row is looked for in all of its table.
  if (!isPassword(desired.settings.password)) return undefined;
  const map = written();
  const isOwn = isMap(map) && (map.password ?? undefined) !== undefined;
  return isOwn ? 'cannot change while the record declares a password: remove the password first' : undefined;
}
