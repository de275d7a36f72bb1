/** The connections to one origin: so many at once, kept open, and what waits for one of them. */
import { type Connection, createConnection, type Settle } from './connection.ts';
import { CLOSED, notConnected, unsent } from './reasons.ts';
import type { Way } from './way.ts';

/** A request, head and body, with the milliseconds within which its answer is to have come. */
export interface Errand {
  readonly text: string;
  readonly timeoutMs: number;
}

export interface Pool {
  /** Tells `settle` once how it ended. */
  send(errand: Errand, settle: Settle): void;
  /** Closes every connection: what is under way ends as broken, and nothing more is sent. */
  close(): void;
}

/** An errand without a connection. */
interface Waiting extends Errand {
  readonly settle: Settle;
  connection?: Connection;
}

export function createPool(way: Way, size: number): Pool {
  const free: Connection[] = [];
  const open = new Set<Connection>();
  const waiting = new Set<Waiting>();
  let opening = 0;
  let isClosed = false;

  function takeWaiting(): Waiting | undefined {
    const [first] = waiting;
    if (first !== undefined) waiting.delete(first);
    return first;
  }

  function takeAll(): readonly Waiting[] {
    const all = [...waiting];
    waiting.clear();
    return all;
  }

  function start(errand: Waiting, connection: Connection): void {
    errand.connection = connection;
    connection.send(errand.text, errand.settle);
  }

  function onFree(connection: Connection): void {
    const next = takeWaiting();
    if (next === undefined) free.push(connection);
    else start(next, connection);
  }

  function onClosed(connection: Connection): void {
    open.delete(connection);
    const index = free.indexOf(connection);
    if (index >= 0) free.splice(index, 1);
    openMore();
  }

  /** Opens as many connections as there are errands to wait for one. */
  function openMore(): void {
    if (isClosed) for (const { settle } of takeAll()) settle(CLOSED);
    while (opening < waiting.size && open.size + opening < size) {
      opening += 1;
      void openOne();
    }
  }

  async function openOne(): Promise<void> {
    try {
      const socket = await way.connect();
      const connection = createConnection(socket, { onFree, onClosed });
      open.add(connection);
      if (isClosed) connection.close();
      else onFree(connection);
    } catch (error) {
      // Each attempt is one errand's: the service is not asked in vain more often than there are requests.
      takeWaiting()?.settle(notConnected(error as Error));
    } finally {
      opening -= 1;
      openMore();
    }
  }

  return {
    send({ text, timeoutMs }, settle) {
      const timer = setTimeout(() => {
        if (waiting.delete(errand)) settle(unsent(timeoutMs));
        else errand.connection?.giveUp(timeoutMs);
      }, timeoutMs);
      const errand: Waiting = {
        text,
        timeoutMs,
        settle(reply) {
          clearTimeout(timer);
          settle(reply);
        },
      };
      const connection = free.pop();
      if (connection !== undefined) start(errand, connection);
      else {
        waiting.add(errand);
        openMore();
      }
    },
    close() {
      isClosed = true;
      for (const connection of open) connection.close();
      openMore();
    },
  };
}
