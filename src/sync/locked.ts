/** A connection and its lock, for as long as something is written. */
import type { Lock } from '../apply/lock.ts';
import { takeShardLock } from '../apply/shard-lock.ts';
import type { Shard } from '../core/shard.ts';
import { type Connection, type ConnectSettings, connect } from './connect.ts';
import { lockName, locksFolder, prepareState } from './state.ts';

/**
 * Connects, takes the lock of the part of the records that is written to (all of them without a shard), works,
 * and gives both back. Throws what connect throws, and `lock-held`.
 */
export async function withLock<T>(
  settings: ConnectSettings,
  shard: Shard | undefined,
  work: (connection: Connection, lock: Lock) => Promise<T>,
): Promise<T> {
  const { connection, lock, close } = await openLocked(settings, shard);
  try {
    return await work(connection, lock);
  } finally {
    await close();
  }
}

/** The same, given back by `close`, for what does not end where it began. */
export async function openLocked(
  settings: ConnectSettings,
  shard: Shard | undefined,
): Promise<{ readonly connection: Connection; readonly lock: Lock; close(): Promise<void> }> {
  const connection = await connect(settings);
  try {
    const isTarget = settings.pins.target !== undefined;
    await prepareState(settings.root, isTarget);
    const folder = locksFolder(settings.root, isTarget);
    const name = lockName(connection.identity, connection.keyFingerprint);
    const lock = await takeShardLock(folder, name, shard);
    const close = () => lock.release().finally(() => connection.close());
    return { connection, lock, close };
  } catch (error) {
    await connection.close();
    throw error;
  }
}
