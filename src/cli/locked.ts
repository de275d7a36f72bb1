/** A connection and its lock, for as long as something is written. */
import { type Lock, takeLock } from '../apply/lock.ts';
import type { ServiceSettings } from '../config/keys.ts';
import { type Connection, connect, stateFolder } from './connect.ts';
import type { FlagValues } from './flags.ts';
import type { Io } from './io.ts';
import { lockPath } from './session.ts';
import type { SERVICE_FLAGS } from './shared-flags.ts';

/** Connects, takes the lock, works, and gives both back. Throws what connect throws, and `lock-held`. */
export async function withLock<T>(
  flags: FlagValues<typeof SERVICE_FLAGS>,
  service: ServiceSettings,
  root: string,
  io: Io,
  work: (connection: Connection, lock: Lock) => Promise<T>,
): Promise<T> {
  const connection = await connect(flags, service, stateFolder(root), io);
  try {
    const lock = await takeLock(lockPath(root, connection));
    try {
      return await work(connection, lock);
    } finally {
      await lock.release();
    }
  } finally {
    await connection.close();
  }
}
