import { setMaxListeners } from 'node:events';
import { hostname, userInfo } from 'node:os';
import { type Client, type ClientOptions, createClient } from '../client/client.ts';
import { createLimiter } from '../client/pace.ts';
import type { ChosenPins } from '../config/read/targets.ts';
import { LOCAL, parseBaseUrl } from '../model/base-url.ts';
import { WebsitesError } from '../model/errors.ts';
import type { FactText } from '../model/facts.ts';
import { type NextFlags, NO_NEXT_FLAGS } from '../model/next-command.ts';
import type { MadeBy, Plan, Seals } from '../model/plan.ts';
import type { LimiterState } from '../model/service.ts';
import type { Environment } from '../util/environment.ts';
import { keepKey } from '../util/key-filter.ts';
import { systemClock } from '../util/node/system-clock.ts';
import { cutText } from '../util/text.ts';
import { MAX_WAIT_MS, PARALLELISM, REQUEST_TIMEOUT_MS, TIMEOUT_MS, VERSION } from './defaults.ts';
import { createFingerprint, createSeals, deriveKey, type Fingerprint, keyFingerprintOf } from './keys.ts';
import { dotFolder, prepareState, runsFolder } from './state.ts';

export interface Host {
  readonly env: Environment;
  readonly cwd: string;
  readonly stdin: AsyncIterable<Uint8Array | string>;
}

/** A limit that is undefined gets its default. */
type ConnectLimits = {
  readonly [Name in 'parallelism' | 'timeoutMs' | 'requestTimeoutMs' | 'maxWaitMs']?:
    | ClientOptions[Name]
    | undefined;
};

export interface ConnectSettings extends ConnectLimits, Pick<ClientOptions, 'onRequest' | 'onRead'> {
  readonly pins: ChosenPins;
  readonly root: string;
  readonly key: () => Promise<string>;
  readonly nextFlags?: NextFlags;
  readonly env: Environment;
  readonly factText: FactText;
  readonly log?: ((text: string) => void) | undefined;
  readonly onLimiter?: (state: () => LimiterState) => void;
}

export interface Connection
  extends Pick<ClientOptions, 'clock' | 'random' | 'parallelism' | 'timeoutMs' | 'requestTimeoutMs'> {
  readonly service: Client;
  /** The service URL as it is stored in plans, run files and locks. For the embedded service it is `local:ID`. */
  readonly identity: Plan['service'];
  readonly fingerprint: Fingerprint;
  readonly seals: Seals;
  readonly madeBy: MadeBy;
  readonly nextFlags: NextFlags;
  readonly factText: FactText;
  readonly runsFolder: string;
  limiter(): LimiterState;
  /** Cancels waiting requests. Requests in flight finish. */
  interrupt(): void;
  close(): Promise<void>;
}

export async function connect(settings: ConnectSettings): Promise<Connection> {
  const { pins, root, env, parallelism = PARALLELISM, maxWaitMs = MAX_WAIT_MS } = settings;
  const { timeoutMs = TIMEOUT_MS, requestTimeoutMs = REQUEST_TIMEOUT_MS } = settings;
  const shared = { clock: systemClock, random: Math.random, parallelism, timeoutMs, requestTimeoutMs };
  const baseUrl = pins.base_url;
  if (baseUrl === undefined) {
    throw new WebsitesError('base-url-invalid', 'No service is configured.', {
      remedy:
        'Set service.base_url in the file, WEBSITES_BASE_URL or --base-url. "local" is the embedded service.',
    });
  }
  const local = baseUrl === LOCAL ? await startEmbedded(settings) : undefined;
  const address = local?.identity ?? parseBaseUrl(baseUrl);
  const key = local?.key ?? (await settings.key());
  keepKey(key);
  const derived = await deriveKey(key, address);
  const limiter = createLimiter(parallelism, systemClock);
  const interrupted = new AbortController();
  // No limit of listeners, because each waiting request adds one.
  setMaxListeners(0, interrupted.signal);
  const client = createClient({
    ...shared,
    key,
    limiter,
    onRequest: settings.onRequest,
    onRead: settings.onRead,
    environment: env,
    favorite: pins.favorite,
    baseUrl: local?.url ?? baseUrl,
    version: VERSION,
    signal: interrupted.signal,
    maxWaitMs,
  });
  settings.onLimiter?.(limiter.state);
  return {
    ...shared,
    service: client,
    identity: {
      base_url: address,
      key_fingerprint: keyFingerprintOf(derived),
      target: pins.target?.name,
    },
    fingerprint: createFingerprint(derived),
    seals: createSeals(derived, address),
    madeBy: madeBy(env),
    nextFlags: settings.nextFlags ?? NO_NEXT_FLAGS,
    factText: settings.factText,
    runsFolder: runsFolder(root),
    limiter: limiter.state,
    interrupt: () => interrupted.abort(new Error('interrupted')),
    async close() {
      client.close();
      await local?.close();
    },
  };
}

export async function withConnection<T>(
  settings: ConnectSettings,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await connect(settings);
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

/** Loaded on demand, because only an embedded service needs this code. */
async function startEmbedded({ root, pins, log }: ConnectSettings) {
  const { startLocal } = await import('../server/server.ts');
  await prepareState(root, pins.target !== undefined);
  return startLocal(dotFolder(root), log);
}

/** Limits each value of MadeBy, because the first line of a run file must be short. */
const MAX_LENGTH = 500;

/** Returns the author from variables of GitHub Actions or GitLab CI; otherwise `user@host`. */
export function madeBy(env: Environment): MadeBy {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_RUN_ID: id, GITHUB_RUN_ATTEMPT = 1 } = env;
  const run = `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${id}/attempts/${GITHUB_RUN_ATTEMPT}`;
  const short = (text: string | undefined) => (text ? cutText(text, MAX_LENGTH) : undefined);
  return {
    actor: short(env.GITHUB_TRIGGERING_ACTOR || env.GITHUB_ACTOR || env.GITLAB_USER_LOGIN || userHere()),
    commit: short(env.GITHUB_SHA || env.CI_COMMIT_SHA),
    url: short(id ? run : env.CI_JOB_URL || env.CI_PIPELINE_URL),
  };
}

function userHere(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    // The user ID may have no name, as in some containers.
    return hostname();
  }
}
