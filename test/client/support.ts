import { onTestFinished } from 'vitest';
import { type Client, type ClientOptions, createClient } from '../../src/client/client.ts';
import { createTransport, type Transport, type TransportOptions } from '../../src/client/http/transport.ts';
import type { Limiter } from '../../src/client/pace.ts';
import { ServiceError } from '../../src/model/service.ts';
import type { Clock } from '../../src/util/clock.ts';
import { lookup, type ScriptedService } from '../support/scripted-service.ts';

/** A clock without real waits, which records each sleep. */
interface QuickClock extends Clock {
  readonly sleeps: number[];
}

export function quickClock(): QuickClock {
  let ahead = 0;
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => Date.now() + ahead,
    monotonic: () => performance.now() + ahead,
    sleep(milliseconds) {
      sleeps.push(milliseconds);
      ahead += milliseconds;
      return Promise.resolve();
    },
  };
}

/** Limits only the requests in flight. */
function plainLimiter(width: number): Limiter {
  const waiting: (() => void)[] = [];
  let free = width;
  const leave = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    async enter(signal) {
      if (free === 0) await new Promise<void>((resolve) => waiting.push(resolve));
      else free -= 1;
      if (signal?.aborted) leave();
      signal?.throwIfAborted();
      return 1;
    },
    leave,
  };
}

/** A client of `service` that ends with the test. Host names lead to this machine. */
export function connect(
  service: Pick<ScriptedService, 'url' | 'key'>,
  options: Partial<ClientOptions> = {},
): Client {
  const parallelism = options.parallelism ?? 4;
  const client = createClient({
    baseUrl: service.url,
    key: service.key,
    version: '1.2.3',
    parallelism,
    limiter: plainLimiter(parallelism),
    clock: quickClock(),
    random: () => 0.5,
    environment: {},
    timeoutMs: 120_000,
    maxWaitMs: 900_000,
    requestTimeoutMs: 30_000,
    connect: { lookup },
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

/** The operations on record 1, a.example. */
export const OPERATIONS = {
  list: (client: Client) => client.list(),
  find: (client: Client) => client.find('a.example'),
  read: (client: Client) => client.read('1'),
  create: (client: Client) => client.create('a.example', {}),
  update: (client: Client) => client.update('1', 'a.example', { email: true }),
  delete: (client: Client) => client.remove('1', 'a.example'),
};

/** The ServiceError of `operation`; fails without one. */
export async function failureOf(operation: Promise<unknown>): Promise<ServiceError> {
  try {
    await operation;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

/** A transport that ends with the test. Host names lead to this machine. */
export function openTransport(options: Partial<TransportOptions> = {}): Transport {
  // Long enough for a machine under load.
  const usual = { connections: 1, connectTimeoutMs: 5000, environment: {}, lookup };
  const transport = createTransport({ ...usual, ...options });
  onTestFinished(() => transport.close());
  return transport;
}

export function domains(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `site-${index}.example`);
}
