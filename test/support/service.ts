/** A service on its own database in a temporary folder. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { onTestFinished } from 'vitest';
import { mintKey } from '../../src/server/key.ts';
import { type ServiceOptions, startService } from '../../src/server/server.ts';
import type { Store } from '../../src/server/store.ts';

export interface WebsiteRow {
  readonly id: number;
  readonly domain: string;
  readonly privacy: number;
  /** Hashed. */
  readonly password: string | null;
  readonly email: number;
  readonly exclude_bots: number;
  readonly exclude_params: string | null;
  readonly exclude_ips: string | null;
  readonly favorited_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

export interface TestService {
  readonly url: string;
  readonly key: string;
  readonly env: { readonly WEBSITES_BASE_URL: string; readonly WEBSITES_API_KEY: string };
  readonly db: string;
  readonly store: Store;
  records(): Promise<WebsiteRow[]>;
  /** Ends the service and removes the folder, unless the database was given. */
  close(): Promise<void>;
}

export async function startTestService(options: Partial<ServiceOptions> = {}): Promise<TestService> {
  const folder = options.db === undefined ? await temporaryFolder() : undefined;
  const removeFolder = async () => {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  };
  const db = options.db ?? join(folder ?? '', 'websites.db');
  const key = options.key ?? mintKey();
  const service = await startService({ port: 0, ...options, key, db }).catch(async (error) => {
    await removeFolder();
    throw error;
  });
  return {
    url: service.url,
    key,
    env: { WEBSITES_BASE_URL: service.url, WEBSITES_API_KEY: key },
    db,
    store: service.store,
    records: async () => readRecords(db),
    close: async () => {
      await service.close();
      await removeFolder();
    },
  };
}

/** The service ends with the test. */
export async function testService(options: Partial<ServiceOptions> = {}): Promise<TestService> {
  const service = await startTestService(options);
  onTestFinished(() => service.close());
  return service;
}

export function temporaryFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'websites-test-'));
}

/** Reads every record of a database by ID, without the service. */
export function readRecords(db: string): WebsiteRow[] {
  const database = new Database(db, { timeout: 5000 });
  try {
    return database.prepare('SELECT * FROM websites ORDER BY id').all() as WebsiteRow[];
  } finally {
    database.close();
  }
}
