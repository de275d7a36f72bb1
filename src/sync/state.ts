/** Where this program keeps what it must remember: in `.websites` of a root, the folder of the first file or --state-folder. */
import { join } from 'node:path';
import { sha256 } from '../config/digest.ts';

/** The folder of journal, lock and embedded service. */
export function dotFolder(root: string): string {
  return join(root, '.websites');
}

/** Where the journal of each run lies. */
export function runsFolder(root: string): string {
  return join(dotFolder(root), 'runs');
}

/**
 * Where the locks lie. Targets, each with its folder `targets/NAME`, have one place for them: two may be the same
 * service.
 */
export function locksFolder(root: string, isTarget: boolean): string {
  return join(dotFolder(isTarget ? join(root, '..', '..') : root), 'locks');
}

/** The name of the locks of this service and key (design, Settled J). */
export function lockName(identity: string, keyFingerprint: string): string {
  return sha256(`${identity}\n${keyFingerprint}`).slice(0, 16);
}

/** The lock of whoever writes websites.lock. */
export function passwordsLock(root: string): string {
  return join(locksFolder(root, false), 'passwords.lock');
}
