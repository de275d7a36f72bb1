/** Where this program keeps what it must remember: beside the first file, in `.websites`. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Connection, ConnectSettings } from './connect.ts';

export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex');

/** The folder of journal, lock and embedded service. */
export function stateFolder(root: string): string {
  return join(root, '.websites');
}

/** Where the journal of each run lies. */
export function runsFolder(root: string): string {
  return join(stateFolder(root), 'runs');
}

/**
 * Where the locks lie. Targets, each with its folder `targets/NAME`, have one place for them: two may be the same
 * service.
 */
export function locksFolder({ root, pins }: Pick<ConnectSettings, 'root' | 'pins'>): string {
  return join(stateFolder(pins.target === undefined ? root : join(root, '..', '..')), 'locks');
}

/** The name of the locks of this service and key (design, Settled J). */
export function lockName({
  identity,
  keyFingerprint,
}: Pick<Connection, 'identity' | 'keyFingerprint'>): string {
  return sha256(`${identity}\n${keyFingerprint}`).slice(0, 16);
}
