/** `websites serve backup FILE`: a copy of the database, beside a running service. */
import { resolve } from 'node:path';
import { placeToWrite } from '../../config/files/links.ts';
import { EXIT, type ExitCode } from '../../model/errors.ts';
import { count } from '../../render/text.ts';
import { backUp } from '../../server/backup.ts';
import { usageError } from '../argv/flags.ts';
import type { Io } from '../io/io.ts';

/** Carries out what follows `serve backup` on the command line; `db` is a whole path or an address. */
export async function runBackup(args: readonly string[], db: string, io: Io): Promise<ExitCode> {
  const [file, ...more] = args;
  if (file === undefined || more.length > 0) {
    throw usageError('"serve backup" takes one file.', 'Write "websites serve backup FILE --db DATABASE".');
  }
  const records = await backUp(db, await placeToWrite(resolve(io.cwd, file), io.cwd));
  io.out(`Wrote ${file}: ${count(records, 'record')}.\n`);
  return EXIT.done;
}
