/** A DNS server for tests, over UDP, answered by a function. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';

/** Addresses of both versions, no such name, a failure, or no answer at all. */
export type DnsAnswer = readonly string[] | 'NXDOMAIN' | 'SERVFAIL' | 'silence';

export interface DnsServer {
  /** `ADDRESS:PORT`, as `--dns` takes it. */
  readonly address: string;
  readonly asked: readonly string[];
  close(): void;
}

const CODES = { NXDOMAIN: 3, SERVFAIL: 2 };
const TYPES: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA' };

/** Calls `answerTo` for each question; `count` is the number of equal questions before. */
export async function startDns(answerTo: (name: string, count: number) => DnsAnswer): Promise<DnsServer> {
  const server: Socket = createSocket('udp4');
  const asked: string[] = [];
  const counts = new Map<string, number>();
  server.on('message', (query: Buffer, { port, address }: RemoteInfo) => {
    const { name, type, end } = questionOf(query);
    const question = `${name} ${TYPES[type] ?? type}`;
    const count = counts.get(question) ?? 0;
    counts.set(question, count + 1);
    asked.push(question);
    const answer = answerTo(name, count);
    if (answer !== 'silence') server.send(replyTo(query.subarray(0, end), type, answer), port, address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  return { address: `127.0.0.1:${server.address().port}`, asked, close: () => server.close() };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function replyTo(query: Buffer, type: number, answer: Exclude<DnsAnswer, 'silence'>): Buffer {
  const head = Buffer.from(query);
  const records =
    typeof answer === 'string' ? [] : answer.filter((one) => one.includes(':') === (type === 28));
  // A response to a recursive query, with its code; one question, the answers, and no more.
  head.writeUInt16BE(0x8180 | (typeof answer === 'string' ? CODES[answer] : 0), 2);
  for (const [index, count] of [1, records.length, 0, 0].entries()) head.writeUInt16BE(count, 4 + 2 * index);
  return Buffer.concat([head, ...records.map((address) => recordOf(type, bytesOf(address)))]);
}

/** For the name of the question, with a TTL of 0. */
function recordOf(type: number, data: Buffer): Buffer {
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(type, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([record, data]);
}

function bytesOf(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number));
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = groups.split('::').map((half) => half.split(':').filter(Boolean));
  const all = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
