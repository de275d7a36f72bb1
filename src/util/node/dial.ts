/**
 * Connecting to a host by whichever of its addresses answers first (Happy Eyeballs, RFC 8305). Node's own way gives up
 * an address after 250 ms, and so a host that is far away on one network and unreachable on the other.
 */
import { lookup as systemLookup } from 'node:dns';
import * as net from 'node:net';

export interface Destination {
  readonly host: string;
  readonly port: number;
  /** How a host name becomes addresses; the system's way unless given. */
  readonly lookup?: net.LookupFunction | undefined;
}

/** How long an address is waited for before the next is tried besides (RFC 8305, section 5), in milliseconds. */
const HEAD_START = 250;

/**
 * A connection to `to`. Rejects with the error of the first address that there is a way to, once all have failed, with
 * that of the look-up, or with the reason of `signal`, which bounds the time.
 */
export async function dial(to: Destination, signal: AbortSignal): Promise<net.Socket> {
  const addresses = await addressesOf(to, signal);
  return new Promise((resolve, reject) => {
    const waiting = [...addresses];
    const tried = new Set<net.Socket>();
    let timer: NodeJS.Timeout | undefined;
    let failure: Error | undefined;

    function end(winner?: net.Socket): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      for (const socket of tried) if (socket !== winner) socket.destroy();
    }
    function stop(): void {
      end();
      reject(signal.reason);
    }
    function next(): void {
      clearTimeout(timer);
      const address = waiting.shift();
      if (address === undefined) return;
      const socket = net.connect({ host: address, port: to.port });
      tried.add(socket);
      socket.once('connect', () => {
        end(socket);
        resolve(socket);
      });
      const failed = (error: Error): void => {
        if (failure === undefined || isNoWay(failure)) failure = error;
        tried.delete(socket);
        if (waiting.length > 0) next();
        else if (tried.size === 0) {
          end();
          reject(failure);
        }
      };
      socket.on('error', failed);
      timer = setTimeout(next, HEAD_START);
    }

    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    else next();
  });
}

/** Whether this machine has no way to such an address: that says little about the host. */
function isNoWay({ code = '' }: NodeJS.ErrnoException): boolean {
  return ['ENETUNREACH', 'EADDRNOTAVAIL'].includes(code);
}

/** The families by turns, beginning with the one that the system prefers (RFC 8305, section 4). */
async function addressesOf(
  { host, lookup = systemLookup }: Destination,
  signal: AbortSignal,
): Promise<string[]> {
  if (net.isIP(host) !== 0) return [host];
  const found = await new Promise<string[]>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    lookup(host, { all: true }, (error, address) => {
      if (error !== null) reject(error);
      else resolve([address].flat().map((one) => (typeof one === 'string' ? one : one.address)));
    });
  });
  const first = found.filter((address) => net.isIP(address) === net.isIP(found[0] ?? ''));
  const others = found.filter((address) => !first.includes(address));
  return first
    .flatMap((address, at) => [address, ...others.slice(at, at + 1)])
    .concat(others.slice(first.length));
}
