/** Serves websites n0.example, n1.example, …, at port 80 of local addresses, with their DNS server. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { startDns } from '../../test/support/dns.ts';

const ADDRESSES = Array.from({ length: 64 }, (_, index) => `127.77.0.${index + 1}`);

const numberOf = (name: string): number => Number(/^n(\d+)\./.exec(name)?.[1] ?? 0);

function answer({ headers, url }: IncomingMessage, response: ServerResponse): void {
  const kind = numberOf(headers.host ?? '') % 10;
  if (kind === 7 && url === '/') response.writeHead(302, { location: '/home' }).end();
  else if (kind === 9) response.writeHead(404).end();
  else response.setHeader('content-type', 'text/html').end('<html><title>Hello</title></html>');
}

const servers = ADDRESSES.map((address) => createServer(answer).listen(80, address));
await Promise.all(servers.map((server) => once(server, 'listening')));
const dns = await startDns((name) => {
  const number = numberOf(name);
  return number % 10 === 8 ? 'NXDOMAIN' : [ADDRESSES[number % ADDRESSES.length] ?? ''];
});
console.log(dns.address);
process.stdin.resume().on('end', () => process.exit());
