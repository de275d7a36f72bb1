/** A connection and its lock, for as long as something is written. */
import { type Lock, takeLock } from '../apply/lock.ts';
import { type Connection, type ConnectSettings, connect } from './connect.ts';
import { lockPath } from './state.ts';

/** Connects, takes the lock, works, and gives both back. Throws what connect throws, and `lock-held`. */
export async function withLock<T>(
  settings: ConnectSettings,
  work: (connection: Connection, lock: Lock) => Promise<T>,
): Promise<T> {
  const connection = await connect(settings);
  try {
    const lock = await takeLock(lockPath(settings.root, connection));
    try {
      return await work(connection, lock);
    } finally {
      await lock.release();
    }
  } finally {
    await connection.close();
  }
}
