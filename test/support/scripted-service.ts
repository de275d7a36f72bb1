/**
 * A scripted service for tests, without code of src/: it stores records in memory and answers the five operations
 * over HTTP. A test sets its dialect (scripted/dialect.ts) and its faults (scripted/faults.ts), at any time, from the
 * next request on.
 *
 * It listens on 127.0.0.1, on one port for http and https (scripted/certificate.ts, for service.test and
 * www.service.test). A client with `lookup` (below) reaches it as any host. `records()` shows what is stored,
 * passwords included. `requests` has every request in the order of arrival, without the key. `shut()` breaks
 * requests in flight as a crash does, and `reopen()` keeps the records.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import {
  json,
  page,
  showComplaint,
  showError,
  showList,
  showOne,
  showWritten,
  type Written,
} from './scripted/answers.ts';
import { type Dialect, USUAL } from './scripted/dialect.ts';
import type { FaultPlan } from './scripted/faults.ts';
import { createGate } from './scripted/limits.ts';
import { type Listener, listen } from './scripted/listener.ts';
import type { LoggedRequest } from './scripted/log.ts';
import { createStore, type Fields, isRecord, type Store, type StoredRecord } from './scripted/store.ts';
import { strike } from './scripted/strike.ts';

export { CERTIFICATE } from './scripted/certificate.ts';
export type { Dialect } from './scripted/dialect.ts';
export { type Fault, type FaultPlan, faultAt, seededFaults } from './scripted/faults.ts';
export type { LoggedRequest } from './scripted/log.ts';
export type { StoredRecord } from './scripted/store.ts';

export interface ScriptedOptions {
  /** Differences from the usual dialect. */
  readonly dialect?: Partial<Dialect>;
  readonly faults?: FaultPlan;
  /** Initial records, by domain, the oldest first. */
  readonly records?: readonly (string | ({ readonly domain: string } & Partial<Fields>))[];
  readonly key?: string;
}

export interface ScriptedService extends Pick<Listener, 'port' | 'connections'> {
  readonly url: string;
  readonly key: string;
  readonly env: { readonly WEBSITES_BASE_URL: string; readonly WEBSITES_API_KEY: string };
  readonly requests: readonly LoggedRequest[];
  dialect: Dialect;
  faults: FaultPlan | undefined;
  /** All updates of the program, in order. */
  readonly history: Store['history'];
  /** The stored records, the oldest first. */
  records(): readonly StoredRecord[];
  /** Inserts, changes or removes a record, as another client would. */
  insert(domain: string, fields?: Partial<Fields>): StoredRecord;
  change(id: number, fields: Partial<Fields>): void;
  remove(id: number): boolean;
  shut(): Promise<void>;
  reopen(): Promise<void>;
  /** Can be called once. */
  close(): Promise<void>;
}

const PATH = '/api/v1/websites';

export async function startScriptedService(options: ScriptedOptions = {}): Promise<ScriptedService> {
  const key = options.key ?? 'scripted-key';
  const requests: LoggedRequest[] = [];
  const gate = createGate();
  let arrived = 0;
  const store = createStore(() => service.dialect);

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    arrived += 1;
    const logged = await logRequest(request, arrived - 1, key, service.dialect.prefix);
    requests.push(logged);
    const { dialect } = service;
    const now = Date.now() + dialect.clockSkewMs;
    const early = turnAway(logged, now);
    if ('refusal' in early) return strike(undefined, response, () => early.refusal, now);
    const fault = service.faults?.(logged);
    await strike(fault, response, () => answer(logged, early.headers), now);
  }

  /** Answers requests that are not carried out: redirects, wrong keys, and requests over the rate limit. */
  function turnAway(
    logged: LoggedRequest,
    now: number,
  ): { refusal: Written } | { headers: Written['headers'] } {
    const { dialect } = service;
    const redirection = dialect.redirect?.({ ...logged, target: targetOf(logged) });
    if (redirection !== undefined) {
      return { refusal: page(redirection.status, 'Moved', { location: redirection.location }) };
    }
    if (logged.key !== 'right') return { refusal: refuseKey(dialect) };
    const { refusal, headers } = dialect.rateLimit ? gate.enter(dialect.rateLimit, now) : { headers: {} };
    return refusal === undefined ? { headers } : { refusal };
  }

  function answer(logged: LoggedRequest, headers: Written['headers']): Written {
    const url = `${logged.scheme}://${logged.host}${targetOf(logged)}`;
    const written = route(logged, store, service.dialect, url);
    return { ...written, headers: { ...written.headers, ...headers } };
  }

  function targetOf(logged: LoggedRequest): string {
    return `${service.dialect.prefix}${logged.path}${queryText(logged)}`;
  }

  const listener = await listen((request, response) => {
    serve(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });

  const service: ScriptedService = {
    port: listener.port,
    url: '',
    key,
    get env() {
      return { WEBSITES_BASE_URL: service.url, WEBSITES_API_KEY: key };
    },
    requests,
    history: store.history,
    // Initial records are visible at once.
    dialect: { ...USUAL, ...options.dialect, lagMs: 0 },
    faults: options.faults,
    records: () => store.all(),
    insert: store.insert,
    change: store.change,
    remove: store.remove,
    connections: listener.connections,
    shut: listener.close,
    reopen: listener.open,
    close: listener.close,
  };
  for (const record of options.records ?? []) {
    if (typeof record === 'string') store.insert(record);
    else store.insert(record.domain, record);
  }
  service.dialect = { ...USUAL, ...options.dialect };
  return Object.assign(service, { url: `http://127.0.0.1:${listener.port}${service.dialect.prefix}` });
}

/** The service ends with the test. */
export async function scripted(options: ScriptedOptions = {}): Promise<ScriptedService> {
  const service = await startScriptedService(options);
  onTestFinished(() => service.close());
  return service;
}

/** Resolves every host to this machine, and to the port of the service. */
export function lookup(
  _host: string,
  options: { readonly all?: boolean | undefined },
  done: (error: null, address: string | { address: string; family: number }[], family?: number) => void,
): void {
  if (options.all) done(null, [{ address: '127.0.0.1', family: 4 }]);
  else done(null, '127.0.0.1', 4);
}

function refuseKey({ unauthorised }: Dialect): Written {
  if (unauthorised === 'login') return page(302, 'Redirecting to /login', { location: '/login' });
  return json(401, { message: 'Unauthenticated.' });
}

function route(logged: LoggedRequest, store: Store, dialect: Dialect, url: string): Written {
  const { method, path } = logged;
  if (path === PATH && method === 'GET') return list(logged, store, dialect, url);
  if (path === PATH && method === 'POST') {
    const created = store.create(formOf(logged));
    return isRecord(created) ? showWritten(201, created, dialect) : showComplaint(created, dialect);
  }
  const id = Number(path.startsWith(`${PATH}/`) ? path.slice(PATH.length + 1) : Number.NaN);
  if (Number.isNaN(id)) return showError(404, '', dialect);
  return withRecord(id, logged, store, dialect);
}

function list(logged: LoggedRequest, store: Store, dialect: Dialect, url: string): Written {
  const refused = dialect.refusedParameters.filter((name) => name in logged.query);
  if (refused.length > 0) {
    const words = refused.map((name) => [name, [`The selected ${name.replace('_', ' ')} is invalid.`]]);
    return showComplaint(Object.fromEntries(words), dialect);
  }
  const { search } = logged.query;
  const listed = store.listed();
  const rows = dialect.listedAs?.(listed, search !== undefined) ?? listed;
  const records = rows.filter(({ domain }) => {
    if (search === undefined || dialect.search === 'ignored') return true;
    return dialect.search === 'exact' ? domain === search : domain.includes(search);
  });
  return showList(records, new URLSearchParams(logged.query), dialect, url);
}

function withRecord(id: number, logged: LoggedRequest, store: Store, dialect: Dialect): Written {
  const missing = showError(404, 'Resource not found.', dialect);
  switch (logged.method) {
    case 'GET': {
      const record = store.get(id);
      return record === undefined ? missing : json(200, showOne(record, dialect, dialect.hiddenInRead));
    }
    case 'PUT': {
      const updated = store.update(id, formOf(logged));
      if (updated === undefined) return missing;
      return isRecord(updated) ? showWritten(200, updated, dialect) : showComplaint(updated, dialect);
    }
    case 'DELETE':
      if (!store.remove(id)) return missing;
      if (dialect.writeAnswer === 'empty') return { status: 204, headers: {}, body: '' };
      return json(200, { id, object: 'website', deleted: true, status: 200 });
    default:
      return { ...showError(405, 'Method not allowed.', dialect), headers: { allow: 'GET, PUT, DELETE' } };
  }
}

/** Reads no form without its content type, as on deployments that were observed. */
function formOf({ headers, body }: LoggedRequest): URLSearchParams {
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded';
  return new URLSearchParams(isForm ? body : '');
}

function queryText({ query }: LoggedRequest): string {
  const text = new URLSearchParams(query).toString();
  return text === '' ? '' : `?${text}`;
}

async function logRequest(
  request: IncomingMessage,
  number: number,
  key: string,
  prefix: string,
): Promise<LoggedRequest> {
  const body = await text(request);
  const { authorization, host = '', ...headers } = request.headers as Record<string, string>;
  const scheme = 'encrypted' in request.socket ? 'https' : 'http';
  const url = new URL(request.url ?? '/', `${scheme}://${host}`);
  return {
    number,
    method: request.method ?? '',
    scheme,
    host,
    path: url.pathname.startsWith(prefix) ? url.pathname.slice(prefix.length) : url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers,
    key: authorization === undefined ? 'none' : authorization === `Bearer ${key}` ? 'right' : 'wrong',
    body,
  };
}
