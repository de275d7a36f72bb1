/**
 * A service as fast as node:http: records are JSON in memory, and pages are cached. The same socket sets its records
 * and returns its tally.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BenchRecord, recordAt, shownRecord } from '../lib/data.ts';

export interface Write {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

/** Counts since the last `PUT /bench`. */
export interface Tally {
  readonly lists: number;
  readonly writes: readonly Write[];
}

/** Records that `PUT /bench` sets, and the delay of each response. */
export interface Holding {
  readonly count: number;
  readonly latencyMs: number;
}

const PATH = '/api/v1/websites';
const PAGE = 100;

let records = new Map<number, string>();
let ids: readonly number[] | undefined;
let pages = new Map<number, Buffer>();
let nextId = 1;
let latencyMs = 0;
let lists = 0;
let writes: Write[] = [];
let held: number | undefined;

/** Makes all pages now, so that no run waits for them. */
function hold({ count, latencyMs: wanted }: Holding): void {
  latencyMs = wanted;
  lists = 0;
  writes = [];
  if (held === count) return;
  records = new Map();
  for (let index = 0; index < count; index++) {
    records.set(index + 1, shownRecord(index + 1, recordAt(index)));
  }
  nextId = count + 1;
  changed();
  for (let number = 1; number <= Math.ceil(count / PAGE); number++) pageAt(number);
  held = count;
}

function changed(): void {
  held = undefined;
  ids = undefined;
  pages = new Map();
}

/** Newest first, like `sort_by=id&sort=desc`. */
function pageAt(number: number): Buffer {
  const known = pages.get(number);
  if (known !== undefined) return known;
  ids ??= [...records.keys()].reverse();
  const total = ids.length;
  const last = Math.max(1, Math.ceil(total / PAGE));
  const data = ids.slice((number - 1) * PAGE, number * PAGE).map((id) => records.get(id));
  const link = (page: number): string => JSON.stringify(`http://service.example${PATH}?page=${page}`);
  const links = `{"first":${link(1)},"last":${link(last)},"prev":null,"next":${number < last ? link(number + 1) : null}}`;
  const meta = `{"current_page":${number},"last_page":${last},"per_page":${PAGE},"total":${total}}`;
  const page = Buffer.from(`{"data":[${data.join(',')}],"links":${links},"meta":${meta},"status":200}`);
  pages.set(number, page);
  return page;
}

/** Applies a form to a record, or to nothing. */
function written(id: number, form: URLSearchParams, before: BenchRecord | undefined): string {
  const list = (name: string): string[] | undefined => form.get(name)?.split('\n').filter(Boolean);
  return shownRecord(id, {
    domain: form.get('domain') ?? before?.domain ?? '',
    privacy: Number(form.get('privacy') ?? before?.privacy ?? 1) as BenchRecord['privacy'],
    email: form.has('email') ? form.get('email') === '1' : (before?.email ?? false),
    exclude_params: list('exclude_params') ?? before?.exclude_params ?? [],
    exclude_ips: list('exclude_ips') ?? before?.exclude_ips ?? [],
    favorited_at: form.has('favorited_at') ? form.get('favorited_at') || undefined : before?.favorited_at,
  });
}

function write({ method, path, body }: Write): { status: number; json: string } {
  const form = new URLSearchParams(body);
  if (method === 'POST') {
    const id = nextId++;
    const json = written(id, form, undefined);
    records.set(id, json);
    return { status: 201, json: `{"data":${json},"status":200}` };
  }
  const id = Number(path.slice(PATH.length + 1));
  if (!records.has(id)) return { status: 404, json: '{"message":"Resource not found.","status":404}' };
  if (method === 'DELETE') {
    records.delete(id);
    return { status: 200, json: `{"id":${id},"object":"website","deleted":true,"status":200}` };
  }
  const json = written(id, form, recordAt(id - 1));
  records.set(id, json);
  return { status: 200, json: `{"data":${json},"status":200}` };
}

function answer(response: ServerResponse, status: number, content: string | Buffer): void {
  const send = (): void => {
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(content),
    });
    response.end(content);
  };
  if (latencyMs === 0) send();
  else setTimeout(send, latencyMs);
}

function answerWrite(request: IncomingMessage, response: ServerResponse): void {
  let body = '';
  request.setEncoding('latin1');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    const { method = '', url = '' } = request;
    if (url === '/bench') {
      hold(JSON.parse(body) as Holding);
      response.end('{}');
      return;
    }
    const asked = { method, path: url, body };
    writes.push(asked);
    const { status, json } = write(asked);
    changed();
    answer(response, status, json);
  });
}

const server = createServer((request, response) => {
  const { method, url = '' } = request;
  if (method !== 'GET') answerWrite(request, response);
  else if (url === '/bench') response.end(JSON.stringify({ lists, writes } satisfies Tally));
  else if (url.startsWith(`${PATH}/`)) {
    const json = records.get(Number(url.slice(PATH.length + 1)));
    answer(response, json === undefined ? 404 : 200, json === undefined ? '{}' : `{"data":${json}}`);
  } else {
    lists += 1;
    answer(response, 200, pageAt(Number(/[?&]page=(\d+)/.exec(url)?.[1] ?? 1)));
  }
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  console.log((server.address() as AddressInfo).port);
});
