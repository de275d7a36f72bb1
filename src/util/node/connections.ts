/**
 * What the connections of an HTTP server may take, whoever opens them. Where there is no room for a new one, the one
 * that has been silent longest gives its place up: idle ones, requests that never come whole and answers that nobody
 * reads do not keep others out. Work in progress is never broken off for a newcomer.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /** Open at a time. One address has half of them at the most. */
  readonly connections: number;
  /** Requests of one connection that are not answered yet, or whose answers are not read. */
  readonly pipelined: number;
}

/** Told why a connection was ended. */
type OnEnded = (socket: Socket, reason: string) => void;

/** Stands before the listeners that `server` has for requests by now. */
export function boundConnections(
  server: Server,
  limits: ConnectionLimits,
  onEnded: OnEnded = () => {},
): void {
  const room = createRoom(limits);
  const handlers = server.listeners('request') as ((...of: [IncomingMessage, ServerResponse]) => void)[];
  server.removeAllListeners('request');

  server.on('connection', (socket: Socket) => {
    if (room.enter(socket)) return;
    onEnded(socket, `not taken: ${room.taken()} connections are open`);
    socket.destroy();
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    // What was parsed before its connection ended still comes here.
    if (socket.destroyed) return;
    const exchanges = room.exchanges(socket);
    if (exchanges.size >= limits.pipelined) {
      onEnded(socket, `ended: ${exchanges.size} requests are not answered`);
      stopParsing(socket);
      socket.destroy();
      return;
    }
    const exchange = { request, response };
    exchanges.add(exchange);
    room.touch(socket);
    response.once('close', () => {
      exchanges.delete(exchange);
      room.touch(socket);
    });
    for (const handle of handlers) handle.call(server, request, response);
  });
}

/**
 * Node would make objects of thousands of requests more that have come in the same piece, and keep them until it closes
 * connections, after it has read from all: gigabytes. 2 says that what follows is no HTTP, so that the parser stops.
 * Its `onIncoming` is nothing that Node promises; without it, this costs memory and breaks nothing.
 */
function stopParsing(socket: Socket & { parser?: { onIncoming?: () => number } | null }): void {
  if (socket.parser) socket.parser.onIncoming = () => 2;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** A request that came whole and is not answered. */
function isAtWork({ request, response }: Exchange): boolean {
  return request.complete && !response.writableEnded;
}

/** The connections by their addresses, those first that have been silent longest. */
function createRoom({ connections }: ConnectionLimits) {
  const addresses = new Map<string, Map<Socket, Set<Exchange>>>();
  const mostOfOne = Math.ceil(connections / 2);
  let taken = 0;

  const addressOf = ({ remoteAddress = '' }: Socket): string => remoteAddress;

  function leave(address: string, socket: Socket): void {
    const near = addresses.get(address);
    if (!near?.delete(socket)) return;
    taken -= 1;
    if (near.size === 0) addresses.delete(address);
  }

  /** Ends a connection of `near` that is not at work, if there is one. */
  function free(address: string, near: ReadonlyMap<Socket, ReadonlySet<Exchange>>): boolean {
    for (const [socket, exchanges] of near) {
      if ([...exchanges].some(isAtWork)) continue;
      leave(address, socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  /** Where all places are taken, whoever has most of them gives one up. */
  function freeAny(): boolean {
    const bySize = [...addresses].sort(([, a], [, b]) => b.size - a.size);
    return bySize.some(([address, near]) => free(address, near));
  }

  return {
    taken: () => taken,
    /** False where there is no place for it. */
    enter(socket: Socket): boolean {
      const address = addressOf(socket);
      const near = addresses.get(address) ?? new Map<Socket, Set<Exchange>>();
      if (near.size >= mostOfOne && !free(address, near)) return false;
      if (taken >= connections && !freeAny()) return false;
      addresses.set(address, near.set(socket, new Set()));
      taken += 1;
      socket.once('close', () => leave(address, socket));
      return true;
    },
    exchanges: (socket: Socket): Set<Exchange> => addresses.get(addressOf(socket))?.get(socket) ?? new Set(),
    /** Notes that it is not silent. */
    touch(socket: Socket): void {
      const near = addresses.get(addressOf(socket));
      const exchanges = near?.get(socket);
      if (near === undefined || exchanges === undefined) return;
      near.delete(socket);
      near.set(socket, exchanges);
    },
  };
}
