import { createServer } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/server/open-store.ts';
import { CERTIFICATE, KEY } from '../support/acting/certificate.ts';
import { testFolder } from '../support/cli.ts';
import { listen } from '../support/listen.ts';

/** A server that turns to TLS where it is asked to, as a database's, with a certificate for another host. */
async function startImpostor(): Promise<{ port: number; heard: string[] }> {
  const heard: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, cert: CERTIFICATE, key: KEY });
      secure.on('data', (bytes) => heard.push(String(bytes))).on('error', () => {});
    });
  });
  return { port: await listen(server), heard };
}

test.each(['prefer', 'require', 'verify-ca', 'verify-full'])(
  'sslmode=%s is verify-full, and nothing is warned of',
  async (mode) => {
    const warnings: string[] = [];
    const note = ({ message }: Error) => message.includes('sslmode') && warnings.push(message);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const { port, heard } = await startImpostor();
    const authority = join(await testFolder({ 'ca.pem': CERTIFICATE }), 'ca.pem');
    const db = `postgres://me:marked-password@127.0.0.1:${port}/websites?sslmode=${mode}&sslrootcert=${authority}`;
    await expect(openStore(db)).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining('does not match'),
    });
    expect({ heard, warnings }).toEqual({ heard: [], warnings: [] });
  },
);
