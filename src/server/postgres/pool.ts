/** Connections to a PostgreSQL database, and what their errors mean for what was asked (Store). */
import * as net from 'node:net';
import pg from 'pg';
import { dial } from '../../util/node/dial.ts';
import { driverUrl } from '../database-url.ts';
import { bind, type Row, type Steps } from '../statements.ts';
import type { StoredCell } from '../store.ts';

export interface PostgresPool {
  /** Runs one statement by itself: one that reads, or whose loss does no harm. */
  query(sql: string, cells?: readonly StoredCell[]): Promise<readonly Row[]>;
  /** Runs `steps` in one transaction: when they throw, nothing is written. */
  transaction<T>(steps: Steps<T>): Promise<T>;
  /** Waits for what is under way, and ends every connection. */
  end(): Promise<void>;
}

/** Runs a statement; `ifLost` tells what is known when the connection ends over it (Store). */
type Ask = (sql: string, cells?: readonly StoredCell[], ifLost?: 503 | 504) => Promise<readonly Row[]>;

/** Of one instance; PostgreSQL takes 100 in all unless it is told otherwise. */
const CONNECTIONS = 10;
/** How long an answer of the database is waited for, in milliseconds. */
const ANSWER_TIMEOUT = 20_000;
/** After so long the database takes an instance that fell silent in a transaction for dead. */
const SILENCE_TIMEOUT = 10_000;

/**
 * The error is no bug of ours and passes: a lock or a deadlock, no room, a server that starts or stops, an instance
 * that was held up in a transaction (PostgreSQL, appendix A: classes 40, 53, 57, lock_not_available, and
 * idle_in_transaction_session_timeout).
 */
const PASSING = /^(?:40|53|57|55P03|25P03)/;

/** Ids and counts as numbers: they stay far below 2^53. */
const getTypeParser: typeof pg.types.getTypeParser = (oid, format) =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format);

/**
 * A connection that pg gives up by itself, as where it has no password to log in with, it leaves open: until the server
 * ends it, that would hold one of its places, and keep the process from ending.
 */
class Client extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config);
    const { connection } = this as unknown as { connection: pg.Connection };
    connection.on('error', () => connection.stream.destroy());
  }
}

/** A socket that is connected to the address that answers first: pg hands it a port and a host alone. */
function reachingSocket(): net.Socket {
  const socket = new net.Socket();
  const connectTo = socket.connect.bind(socket) as (port: number, host?: string) => net.Socket;
  return Object.assign(socket, {
    connect(port: number, host?: string) {
      // Without a host it is the path of a socket in the file system.
      if (host === undefined || net.isIP(host) !== 0) return connectTo(port, host);
      const given = new AbortController();
      socket.once('close', () => given.abort(new Error('closed')));
      dial({ host, port }, given.signal).then(
        (reached) => {
          const { remoteAddress = host } = reached;
          reached.destroy();
          connectTo(port, remoteAddress);
        },
        (error) => socket.destroy(error),
      );
      return socket;
    },
  });
}

/**
 * `busyTimeout`, in milliseconds, bounds the wait for a connection and for what another one has locked.
 * Parameters of the address go before what is set here. Nothing is asked of the database yet.
 */
export function openPool(url: string, busyTimeout: number): PostgresPool {
  const pool = new pg.Pool({
    Client,
    stream: reachingSocket,
    connectionString: driverUrl(url),
    max: CONNECTIONS,
    connectionTimeoutMillis: busyTimeout,
    lock_timeout: busyTimeout,
    query_timeout: ANSWER_TIMEOUT,
    idle_in_transaction_session_timeout: SILENCE_TIMEOUT,
    keepAlive: true,
    // A server that fell silent never returns the farewell: its connections must not keep the process from ending.
    allowExitOnIdle: true,
    application_name: 'websites',
    types: { getTypeParser },
  });
  // Without a listener a connection that breaks would end the process; whoever uses it is told anyway.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));

  async function connected<T>(work: (ask: Ask) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((error: Error) => {
      throw Object.assign(error, { statusCode: 503 });
    });
    let lost = false;
    const ask: Ask = async (sql, cells = [], ifLost = 503) => {
      const values = bind(cells);
      try {
        return (await client.query<Row>(numbered(sql), values)).rows;
      } catch (error) {
        const told = error instanceof pg.DatabaseError;
        if (told && !PASSING.test(error.code ?? '')) throw error;
        lost ||= !told;
        throw Object.assign(error as Error, { statusCode: ifLost });
      }
    };
    try {
      return await work(ask);
    } finally {
      client.release(lost);
    }
  }

  // The pool forgets those who wait for a connection when it is ended.
  const underway = new Set<Promise<unknown>>();
  function tracked<T>(work: Promise<T>): Promise<T> {
    const forget = (): void => void underway.delete(work);
    underway.add(work);
    work.then(forget, forget);
    return work;
  }

  return {
    query: (sql, cells) => tracked(connected((ask) => ask(sql, cells))),
    transaction: (steps) => tracked(connected(inTransaction(steps))),
    end: async () => {
      await Promise.allSettled(underway);
      await pool.end();
    },
  };
}

function inTransaction<T>(steps: Steps<T>): (ask: Ask) => Promise<T> {
  return async (ask) => {
    await ask('BEGIN');
    const result = await carryOut(steps, ask).catch(async (error) => {
      await ask('ROLLBACK').catch(() => {});
      throw error;
    });
    await ask('COMMIT', [], 504);
    return result;
  };
}

async function carryOut<T>(steps: Steps<T>, ask: Ask): Promise<T> {
  let step = steps.next();
  while (step.done !== true) step = steps.next(await ask(step.value.sql, step.value.cells));
  return step.value;
}

/** Placeholders as PostgreSQL has them: $1, $2 … */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => {
    count += 1;
    return `$${count}`;
  });
}
