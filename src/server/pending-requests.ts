/**
 * The requests that are not answered, by connection. Several may come on one before the first is answered, and
 * answers go out in the order of the requests: a refusal must not take the place of another one's answer.
 */
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';

export interface Unanswered {
  add(request: FastifyRequest): void;
  remove(request: FastifyRequest): void;
  /** The request of which only the beginning has come. */
  begun(socket: Socket): FastifyRequest | undefined;
  /** Whether what comes now is the rest of a request that has been answered already, as one without a key is. */
  isRest(socket: Socket): boolean;
  /** Calls `refuse` once every request that came whole is answered; of several for one connection, the first alone. */
  afterAnswers(socket: Socket, refuse: () => void): void;
}

interface Connection {
  readonly requests: Set<FastifyRequest>;
  latest?: FastifyRequest;
  refuse?: () => void;
}

/** A delete does not wait for its payload. */
const isWhole = ({ raw }: FastifyRequest): boolean => raw.complete || raw.method === 'DELETE';

export function unanswered(): Unanswered {
  const connections = new WeakMap<Socket, Connection>();

  function at(socket: Socket): Connection {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const connection = { requests: new Set<FastifyRequest>() };
    connections.set(socket, connection);
    return connection;
  }

  function refuseWhereDue({ requests, refuse }: Connection): void {
    if (![...requests].some(isWhole)) refuse?.();
  }

  return {
    add: (request) => {
      const connection = at(request.raw.socket);
      connection.requests.add(request);
      connection.latest = request;
    },
    remove: (request) => {
      const connection = at(request.raw.socket);
      connection.requests.delete(request);
      refuseWhereDue(connection);
    },
    begun: (socket) => [...at(socket).requests].find((request) => !isWhole(request)),
    isRest: (socket) => {
      const { requests, latest } = at(socket);
      return latest !== undefined && !latest.raw.complete && !requests.has(latest);
    },
    afterAnswers: (socket, refuse) => {
      const connection = at(socket);
      if (connection.refuse !== undefined) return;
      connection.refuse = refuse;
      refuseWhereDue(connection);
    },
  };
}
