/** The embedded service of one project folder (decision: "The service ships with the tool"). */
import { join } from 'node:path';
import { ensureKeyFile } from './key-file.ts';
import { startService } from './server.ts';

export interface LocalService {
  readonly url: string;
  readonly key: string;
  /** The same for as long as the database exists, whatever the port. */
  readonly identity: string;
  close(): Promise<void>;
}

/**
 * Starts the service on any free port of 127.0.0.1 over `folder`/local.db, with the key of
 * `folder`/local.key; what is missing is made. Several processes may do so at once. Throws a
 * WebsitesError: `file-failed` or `store-failed`.
 */
export async function startLocal(folder: string, tell?: (text: string) => void): Promise<LocalService> {
  const key = await ensureKeyFile(join(folder, 'local.key'), tell);
  const db = join(folder, 'local.db');
  const { url, store, close } = await startService({ db, port: 0, keys: [key], tellsFailures: true });
  return { url, key, identity: `local:${store.id}`, close };
}
