/** `websites serve keys …`: the keys that open the service, of which it need not be running. */
import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { placeToWrite } from '../../config/files/links.ts';
import { EXIT, type ExitCode } from '../../model/errors.ts';
import { linedUp, textOf } from '../../render/text.ts';
import { writeKeyFile } from '../../server/key-file.ts';
import { addNamedKey, mintKey, revokeKey } from '../../server/keys.ts';
import { mustExist, withStore } from '../../server/open-store.ts';
import { DEFAULT_ACCOUNT, type Store, type StoredKey } from '../../server/store.ts';
import { didYouMean, usageError } from '../argv/flags.ts';
import type { Io } from '../io/io.ts';

const HOW = 'Write "websites serve keys create NAME", "keys list" or "keys revoke NAME|ID".';

/**
 * Carries out what follows `serve keys` on the command line; `db` is a whole path or an address, and
 * `out` the file that a new key goes to instead of standard output.
 */
export async function runKeys(
  [action, subject, ...more]: readonly string[],
  db: string,
  out: string | undefined,
  io: Io,
): Promise<ExitCode> {
  const wantsSubject = action === 'create' || action === 'revoke';
  if (more.length > 0 || (!wantsSubject && action !== 'list') || wantsSubject !== (subject !== undefined)) {
    const near = didYouMean(action ?? '', ['create', 'list', 'revoke']);
    throw usageError('Unknown arguments after "serve keys".', `${near}${HOW}`);
  }
  if (action !== 'create') await mustExist(db);
  await withStore(db, async (store) => {
    if (action === 'list') io.out(table(await store.listKeys(DEFAULT_ACCOUNT)));
    else if (action === 'create') await create(store, String(subject), out, io);
    else await revoke(store, String(subject), io);
  });
  return EXIT.done;
}

/** The file first: a key that it could not take is never let in. */
async function create(store: Store, name: string, out: string | undefined, io: Io): Promise<void> {
  const key = mintKey();
  const file = out === undefined ? undefined : await placeToWrite(resolve(io.cwd, out), io.cwd);
  if (file !== undefined) await writeKeyFile(file, key, io.err);
  try {
    const { id } = await addNamedKey(store, key, name);
    io.err(
      `Created API key ${name} (#${id}). ${out === undefined ? 'It is not shown again.' : `It is in ${out}.`}\n`,
    );
  } catch (error) {
    if (file !== undefined) await rm(file, { force: true });
    throw error;
  }
  if (file === undefined) io.out(`${key}\n`);
}

async function revoke(store: Store, nameOrId: string, io: Io): Promise<void> {
  const { id, name } = await revokeKey(store, nameOrId);
  io.out(`Revoked key ${name ?? ''}${name === null ? '' : ' '}(#${id}).\n`);
  const left = await store.listKeys(DEFAULT_ACCOUNT);
  if (left.length === 0) io.err('No key is left: nobody can use the service until you create one.\n');
}

function table(keys: readonly StoredKey[]): string {
  const rows = [
    ['ID', 'NAME', 'CREATED', 'LAST USED'],
    ...keys.map(({ id, name, createdAt, lastUsed }) => [
      String(id),
      name ?? '-',
      createdAt?.slice(0, 10) ?? '-',
      lastUsed ?? 'never',
    ]),
  ];
  return textOf([linedUp(rows)]);
}
