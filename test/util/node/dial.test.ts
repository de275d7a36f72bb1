import { type AddressInfo, createServer, type LookupFunction, type Server } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { dial } from '../../../src/util/node/dial.ts';

/** Reserved for documentation (RFC 5737, RFC 3849): no host answers there. */
const NOBODY = ['192.0.2.1', '2001:db8::1', '198.51.100.1'];

async function listening(): Promise<number> {
  const server: Server = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const found =
  (addresses: readonly string[]): LookupFunction =>
  (_host, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

test.each([
  ['the first of several', ['127.0.0.1', ...NOBODY]],
  ['behind one that nobody answers at', [NOBODY[0] ?? '', '127.0.0.1']],
  ['behind a family that does not work', [NOBODY[1] ?? '', '2001:db8::2', '127.0.0.1']],
  ['the last', [...NOBODY, '127.0.0.1']],
])('a host is reached at the address that answers, %s', async (_where, addresses) => {
  const to = { host: 'any.example', port: await listening(), lookup: found(addresses) };
  const socket = await dial(to, AbortSignal.timeout(5000));
  expect(socket.remoteAddress).toBe('127.0.0.1');
  socket.destroy();
});

test('a look-up that gives one address without a list is taken', async () => {
  const lookup: LookupFunction = (_host, _options, done) => done(null, '127.0.0.1', 4);
  const socket = await dial(
    { host: 'any.example', port: await listening(), lookup },
    AbortSignal.timeout(5000),
  );
  expect(socket.remoteAddress).toBe('127.0.0.1');
  socket.destroy();
});

test('the error is of an address that there is a way to', async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const gone = (closed.address() as AddressInfo).port;
  await new Promise((resolve) => closed.close(resolve));
  const to = { host: 'any.example', port: gone, lookup: found(['2001:db8::1', '127.0.0.1']) };
  await expect(dial(to, AbortSignal.timeout(5000))).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('the signal ends it', async () => {
  const to = { host: 'any.example', port: 9, lookup: () => undefined };
  await expect(dial(to, AbortSignal.timeout(20))).rejects.toMatchObject({ name: 'TimeoutError' });
});
