/**
 * Sends the creates of a file through some layers of an apply, each on top of the ones before. `transport` sends
 * finished requests. `client` adds forms, limits, retries and decoding. `run` adds phases, breaker and tally. `journal`
 * writes changes before they are sent.
 */
import { readFileSync } from 'node:fs';
import { createClient } from '../../src/client/client.ts';
import { decodeRecord } from '../../src/client/decode.ts';
import { createTransport } from '../../src/client/http/transport.ts';
import { createLimiter } from '../../src/client/pace.ts';
import type { Create, FieldChanges, SecretChange } from '../../src/model/change.ts';
import type { Plan } from '../../src/model/plan.ts';
import { ROUTINE } from '../../src/model/risk.ts';
import { formatSecretRef, Secret } from '../../src/model/secret.ts';
import type { RunContext } from '../../src/run/context.ts';
import { nextRunId, openRunFile, type RunFile } from '../../src/run/file/write.ts';
import { createLoop } from '../../src/run/loop.ts';
import { createValues } from '../../src/run/values.ts';
import { createSeals } from '../../src/sync/keys.ts';
import { systemClock } from '../../src/util/node/system-clock.ts';
import type { Write } from './service.ts';
import { sendAll } from './write.ts';

const [layer = '', port = '', width = '', file = ''] = process.argv.slice(2);
const parallelism = Number(width);
const origin = `http://127.0.0.1:${port}`;
const clock = systemClock;
const plannedAt = new Date().toISOString();
const requestTimeoutMs = 30_000;
const timeoutMs = 120_000;
const random = Math.random;

async function sendByTransport(): Promise<void> {
  const transport = createTransport({ connections: parallelism, connectTimeoutMs: 10_000, environment: {} });
  let lines: readonly string[] | undefined;
  await sendAll(
    file,
    async ({ method, path, body }, headers) => {
      lines ??= Object.entries(headers).flat();
      const request = { method: method as 'POST', to: { origin, path }, headers: lines, body };
      const reply = await transport.send({ ...request, timeoutMs: requestTimeoutMs });
      return reply.kind === 'answer' ? reply.status : 599;
    },
    parallelism,
  );
  transport.close();
}

/** By the references in changes. */
const secrets = new Map<string, Secret>();

/** Similar changes share their fields, as in a plan. */
function readChanges(): Create[] {
  const writes = JSON.parse(readFileSync(file, 'utf8')) as Write[];
  const shared = new Map<string, FieldChanges>();
  return writes.map(({ body }, index): Create => {
    const { domain = '', ...form } = Object.fromEntries(new URLSearchParams(body));
    const key = JSON.stringify(form);
    const fields = shared.get(key) ?? fieldsOf(form);
    shared.set(key, fields);
    const source = { file: 'websites.yaml', line: index + 1, column: 5 };
    return { action: 'create', domain, fields, source, risk: ROUTINE, notes: [] };
  });
}

function fieldsOf({ password, ...form }: Readonly<Record<string, string>>): FieldChanges {
  const { settings } = decodeRecord({ id: 1, domain: '', ...form });
  const values = Object.entries(settings).map(([name, after]) => [name, { after }]);
  return { ...Object.fromEntries(values), ...(password && { password: secretChange(password) }) };
}

function secretChange(text: string): SecretChange {
  const ref = { env: text };
  secrets.set(formatSecretRef(ref), new Secret(text));
  return { sensitive: true, ref };
}

function openClient() {
  const limiter = createLimiter(parallelism, clock);
  const about = { baseUrl: origin, key: 'bench', version: '0', environment: {} };
  return createClient({
    ...about,
    parallelism,
    limiter,
    clock,
    random,
    timeoutMs,
    requestTimeoutMs,
    maxWaitMs: 900_000,
  });
}

async function sendByClient(): Promise<void> {
  const client = openClient();
  const changes = readChanges()[Symbol.iterator]();
  const values = createValues(secrets, plannedAt);
  const work = async (): Promise<void> => {
    for (const { domain, fields } of changes) await client.create(domain, values.ofCreate({ fields }));
  };
  await Promise.all(Array.from({ length: parallelism }, work));
  client.close();
}

const NO_FILE: RunFile = {
  begin: () => async () => undefined,
  end: () => undefined,
  sideEffects: () => undefined,
  close: async () => undefined,
};

function planOf(changes: readonly Create[]): Plan {
  const counts = { create: changes.length, update: 0, delete: 0, unchanged: 0, orphan: 0, ignored: 0 };
  return {
    created_at: plannedAt,
    read_at: plannedAt,
    service: { base_url: origin, key_fingerprint: '' },
    complete: true,
    options: { update: 'auto', domain: [], exclude: [] },
    summary: counts,
    changes,
    cost: { requests: changes.length + 1, seconds: null },
    digest: '',
  } as unknown as Plan;
}

async function sendByRun(isWritten: boolean): Promise<void> {
  const client = openClient();
  const plan = planOf(readChanges());
  const seals = createSeals('bench', origin);
  const opening = {
    run: await nextRunId('.websites/runs', Date.now()),
    at: plannedAt,
    plan: { ...plan, changes: [] },
    seals,
  };
  const runFile = isWritten ? await openRunFile('.websites/runs', opening) : NO_FILE;
  const run = {
    plan,
    service: client,
    clock,
    random,
    requestTimeoutMs,
    timeoutMs,
    parallelism,
    lock: { assertHeld: () => undefined, release: async () => undefined },
    emit: () => undefined,
    signal: new AbortController().signal,
  };
  const found = { done: new Map(), stale: new Map(), shown: new Map(), readAt: Date.parse(plannedAt) };
  const loop = createLoop(run as unknown as RunContext, secrets, runFile, found);
  await loop.run(loop.tasks);
  const [failure] = loop.outcome().failures;
  if (failure !== undefined) throw new Error(failure.message);
  await runFile.close();
  client.close();
}

const SENDERS: Readonly<Record<string, () => Promise<void>>> = {
  transport: sendByTransport,
  client: sendByClient,
  run: () => sendByRun(false),
  journal: () => sendByRun(true),
};
await SENDERS[layer]?.();
