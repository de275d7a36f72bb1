/** Where this program keeps what it must remember: beside the first file, in `.websites`. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Connection } from './connect.ts';

export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

/** The folder of journal, lock and embedded service. */
export function stateFolder(root: string): string {
  return join(root, '.websites');
}

/** Where the journal of each run lies. */
export function runsFolder(root: string): string {
  return join(stateFolder(root), 'runs');
}

/** The lock of this service and key (design, Settled J). */
export function lockPath(
  root: string,
  { identity, keyFingerprint }: Pick<Connection, 'identity' | 'keyFingerprint'>,
): string {
  const name = sha256(`${identity}\n${keyFingerprint}`).slice(0, 16);
  return join(stateFolder(root), 'locks', `${name}.lock`);
}
