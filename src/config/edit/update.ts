/** Records of a file that are to declare other values → the text of that file with them (decision: "Accepted drift is written back in place"). */
import { PRIVACY } from '../../model/field-table.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import type { ConfigFile } from '../files/files.ts';
import { isPassword } from '../read/levels.ts';
import type { Origin } from '../read/record-places.ts';
import { createSource, type Source, shownOf } from '../read/source.ts';
import { isMap } from '../read/validate.ts';
import { readYaml } from '../yaml/fast/read.ts';
import { applyEdits } from './edits.ts';
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
}

/** Both texts without secrets, for a person to look at. */
export async function shownTexts({ source, after }: UpdatedFile): Promise<{ before: string; after: string }> {
  const shown = async (one: Source): Promise<string> => {
    const hidden = (await readYaml(one)).document?.hidden ?? (() => 1);
    return shownOf(one.text, { line: 1, column: 1 }, hidden);
  };
  return { before: await shown(source), after: await shown(createSource(source.name, after)) };
}

/** The file `into`, if its text changes, and for each of `updates` what is not written. */
export function updateFile(
  updates: readonly RecordUpdate[],
  into: string,
  writing: Writing,
): { readonly file: UpdatedFile | undefined; readonly notWritten: readonly (readonly NotWritten[])[] } {
  const found = updates.map((update) => editsOf(update, into, writing));
  const notWritten = found.map((one) => one.notWritten);
  const edits = found.flatMap((one) => one.edits);
  const scope = updates.find(({ origin }) => origin.scope.file.absolute === into)?.origin.scope;
  if (scope === undefined || edits.length === 0) return { file: undefined, notWritten };
  const { source } = scope.document;
  return { file: { file: scope.file, source, after: applyEdits(source.text, edits) }, notWritten };
}

function editsOf({ desired, origin, values }: RecordUpdate, into: string, writing: Writing): RecordEdits {
  const { scope, path, raw } = origin;
  const fit: NewValue[] = [];
  const notWritten: NotWritten[] = [];
  for (const value of values) {
    const reason = whyNot(desired, origin, into, value, writing);
    if (reason === undefined) fit.push(value);
    else notWritten.push({ field: value.field, reason });
  }
  if (fit.length === 0) return { edits: [], notWritten };
  const found = editRecord(scope.document, path, raw, fit, writing);
  return { edits: found.edits, notWritten: [...notWritten, ...found.notWritten] };
}

/** Why a value is not written into `into`, if it is not: rows of bulk files are left to whoever makes these files. */
function whyNot(
  desired: RecordUpdate['desired'],
  origin: Origin,
  into: string,
  value: NewValue,
  writing: Writing,
): string | undefined {
  const { file } = origin.scope;
  if (origin.isRow) {
    const [key, written] = writing.entryOf(value);
    return `is not written into ${file.path}: the service has ${key}: ${writing.yaml(written)}`;
  }
  if (file.absolute !== into) return `cannot be written: the record is declared in ${file.path}`;
  return contradiction(desired, origin, value);
}

/** A record that declares a password of its own cannot be open to all or nobody. */
function contradiction(
  desired: RecordUpdate['desired'],
  { raw }: Origin,
  { field, value }: NewValue,
): string | undefined {
  if (field !== 'privacy' || value === PRIVACY.password) return undefined;
  // One that comes from elsewhere is of no account then.
  if (!isPassword(desired.settings.password)) return undefined;
  const isOwn = isMap(raw) && (raw.password ?? undefined) !== undefined;
  return isOwn ? 'cannot change while the record declares a password: remove the password first' : undefined;
}
