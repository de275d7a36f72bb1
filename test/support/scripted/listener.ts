/** A port for http and https that can be closed for a while and opened again. */
import * as http from 'node:http';
import * as https from 'node:https';
import * as net from 'node:net';
import { CERTIFICATE, KEY } from './certificate.ts';

export interface Listener {
  readonly port: number;
  /** Open connections, and the most at one time. */
  connections(): { readonly open: number; readonly peak: number };
  /** Refuses connections, and breaks open ones. */
  close(): Promise<void>;
  /** Accepts connections again on the same port; does nothing if it is open. */
  open(): Promise<void>;
}

/** The first byte of a TLS handshake. */
const HANDSHAKE = 22;

export async function listen(handler: http.RequestListener): Promise<Listener> {
  const plain = http.createServer(handler);
  const secure = https.createServer({ cert: CERTIFICATE, key: KEY }, handler);
  const sockets = new Set<net.Socket>();
  let peak = 0;
  const server = net.createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    peak = Math.max(peak, sockets.size);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.once('readable', () => {
      const first = socket.read(1) as Buffer | null;
      if (first === null) return;
      socket.unshift(first);
      (first[0] === HANDSHAKE ? secure : plain).emit('connection', socket);
    });
  });
  let port = 0;
  const open = (): Promise<void> =>
    new Promise((resolve, reject) => {
      if (server.listening) return resolve();
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        port = (server.address() as net.AddressInfo).port;
        resolve();
      });
    });
  await open();
  return {
    port,
    connections: () => ({ open: sockets.size, peak }),
    open,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
