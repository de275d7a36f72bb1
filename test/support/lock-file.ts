/** `websites.lock` with its entries as an object, which tests write and compare with less ado. */
import { type LockEntry, lockFileText, readLockFile } from '../../src/config/secrets/lock-file.ts';

export type Entries = Readonly<Record<string, LockEntry>>;

export function lockText(entries: Entries): string {
  return lockFileText(new Map(Object.entries(entries)));
}

export async function readLock(folder: string): Promise<Entries | undefined> {
  const entries = await readLockFile(folder);
  return entries && Object.fromEntries(entries);
}
