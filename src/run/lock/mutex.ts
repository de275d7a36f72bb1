/** Short work that processes side by side do one after the other. */

import { WebsitesError } from '../../model/errors.ts';
import { systemClock } from '../../util/node/system-clock.ts';
import { type Lock, takeLock } from './lease.ts';

const PAUSE_MS = 20;
/** Longer than the lock of a process that is gone, and cannot be seen from here, holds. */
const PATIENCE_MS = 70_000;

/** Works while no other process holds the lock at `path`. Throws as takeLock does where it stays held for over a minute. */
export async function inTurn<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = await takeWhenFree(path, systemClock.monotonic() + PATIENCE_MS);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

async function takeWhenFree(path: string, until: number): Promise<Lock> {
  for (;;) {
    try {
      return await takeLock(path);
    } catch (error) {
      const isHeld = error instanceof WebsitesError && error.code === 'lock-held';
      if (!isHeld || systemClock.monotonic() > until) throw error;
    }
    await systemClock.sleep(PAUSE_MS);
  }
}
