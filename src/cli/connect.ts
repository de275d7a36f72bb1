/** From settings to a service that can be talked to: the embedded one, or one at an address. */
import { createHash } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Client, createClient, DEFAULT_REQUEST_TIMEOUT_MS, DEFAULT_TIMEOUT_MS } from '../api/client.ts';
import { parseBaseUrl } from '../api/origin.ts';
import { createLimiter, type LimiterState } from '../apply/limiter.ts';
import type { Fingerprints } from '../config/fingerprint.ts';
import type { ServiceSettings } from '../config/keys.ts';
import { WebsitesError } from '../core/errors.ts';
import { systemClock } from './clock.ts';
import type { FlagValues } from './flags.ts';
import type { Io } from './io.ts';
import { fingerprintsFor } from './passwords.ts';
import type { SERVICE_FLAGS } from './shared-flags.ts';
import { VERSION } from './version.ts';

export const LOCAL = 'local';

const DEFAULT_PARALLELISM = 10;

export interface Connection {
  readonly service: Client;
  /** What plans, journal and lock are bound to: the address, or `local:ID`. */
  readonly identity: string;
  readonly keyFingerprint: string;
  /** What fingerprints of passwords are made with. */
  readonly fingerprints: Fingerprints;
  readonly parallelism: number;
  readonly timeoutMs: number;
  readonly requestTimeoutMs: number;
  limiter(): LimiterState;
  /** Nothing that waits is sent any more; what is under way is finished. */
  interrupt(): void;
  close(): Promise<void>;
}

/**
 * Connects to `--base-url` or else `pins.base_url`; `folder` is where the embedded service keeps its
 * records. Throws `base-url-invalid`, `key-missing`, `usage`.
 */
export async function connect(
  flags: FlagValues<typeof SERVICE_FLAGS>,
  pins: ServiceSettings,
  folder: string,
  io: Io,
): Promise<Connection> {
  const baseUrl = flags['base-url'] ?? pins.base_url;
  if (baseUrl === undefined) {
    throw new WebsitesError('base-url-invalid', 'No service is named.', {
      remedy:
        'Set service.base_url in the file, WEBSITES_BASE_URL or --base-url; "local" is the embedded service.',
    });
  }
  const parallelism = flags.parallelism ?? DEFAULT_PARALLELISM;
  if (parallelism < 1 || parallelism > 256) {
    throw new WebsitesError('usage', `--parallelism is ${parallelism}.`, {
      remedy: 'Write a number from 1 to 256.',
    });
  }
  const local = baseUrl === LOCAL ? await startEmbedded(folder) : undefined;
  const key = local?.key ?? (await readKey(flags['api-key-file'], io));
  const limiter = createLimiter(parallelism, systemClock);
  const timeoutMs = milliseconds(flags.timeout) ?? DEFAULT_TIMEOUT_MS;
  const requestTimeoutMs = milliseconds(flags['request-timeout']) ?? DEFAULT_REQUEST_TIMEOUT_MS;
  const interrupted = new AbortController();
  // Each request that waits listens to it.
  setMaxListeners(0, interrupted.signal);
  const client = createClient({
    baseUrl: local?.url ?? baseUrl,
    key,
    version: VERSION,
    limiter,
    clock: systemClock,
    signal: interrupted.signal,
    random: Math.random,
    parallelism,
    timeoutMs,
    requestTimeoutMs,
    environment: io.env,
    ...(pins.favorite === undefined ? {} : { favorite: pins.favorite }),
  });
  return {
    service: client,
    identity: local?.identity ?? parseBaseUrl(baseUrl).href.replace(/\/$/, ''),
    keyFingerprint: fingerprint(key),
    fingerprints: fingerprintsFor(io, key),
    parallelism,
    timeoutMs,
    requestTimeoutMs,
    limiter: limiter.state,
    interrupt: () => interrupted.abort(new Error('interrupted')),
    async close() {
      client.close();
      await local?.close();
    },
  };
}

/** The folder of journal, lock and embedded service, beside the first file. */
export function stateFolder(root: string): string {
  return join(root, '.websites');
}

/** The service's code is loaded here and nowhere else on the way of plan and apply. */
async function startEmbedded(folder: string) {
  const { startLocal } = await import('../service/local.ts');
  return startLocal({ folder });
}

async function readKey(file: string | undefined, io: Io): Promise<string> {
  const remedy = 'Set WEBSITES_API_KEY, or name a file that holds the key with --api-key-file.';
  if (file === undefined) {
    const key = io.env.WEBSITES_API_KEY;
    if (key === undefined || key === '')
      throw new WebsitesError('key-missing', 'There is no API key.', { remedy });
    return key;
  }
  try {
    const key = (await readFile(resolve(io.cwd, file), 'utf8')).trim();
    if (key === '') throw new WebsitesError('key-missing', `The key file ${file} is empty.`, { remedy });
    return key;
  } catch (error) {
    if (error instanceof WebsitesError) throw error;
    const reason = (error as NodeJS.ErrnoException).code ?? (error as Error).message;
    throw new WebsitesError('key-missing', `The key file ${file} cannot be read (${reason}).`, { remedy });
  }
}

/** Enough of a digest to tell keys apart, and too little of it to test guesses usefully: keys are long and random. */
function fingerprint(key: string): string {
  return `sha256:${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
}

function milliseconds(seconds: number | undefined): number | undefined {
  return seconds === undefined ? undefined : seconds * 1000;
}
