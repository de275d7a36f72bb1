/** The connections to one origin: so many at once, kept open, and what waits for one of them. */
import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { type Connection, createConnection, type Settle } from './connection.ts';
import { CLOSED, notConnected, unsent } from './reasons.ts';
import type { Way } from './way.ts';

export interface Pool {
  /**
   * Sends a request, head and body, whose answer is to have come in time; tells `onSent` when it leaves, and `settle`
   * once how it ended.
   */
  send(text: string, timeoutMs: number, settle: Settle, onSent?: () => void): void;
  /** Closes every connection: what is under way ends as broken, and nothing more is sent. */
  close(): void;
}

/** A request with its connection, once it has one. */
interface Task {
  readonly text: string;
  readonly settle: Settle;
  readonly onSent: (() => void) | undefined;
  connection?: Connection;
}

export function createPool(way: Way, size: number): Pool {
  const free: Connection[] = [];
  const open = new Set<Connection>();
  const waiting = new Set<Task>();
  const closing = new AbortController();
  let opening = 0;
  // Each connection listens.
  setMaxListeners(0, closing.signal);

  function takeWaiting(): Task | undefined {
    const [first] = waiting;
    if (first !== undefined) waiting.delete(first);
    return first;
  }

  /** One that has ended stays among the free ones until it is come upon. */
  function takeFree(): Connection | undefined {
    let connection = free.pop();
    while (connection !== undefined && !connection.isOpen()) connection = free.pop();
    return connection;
  }

  function start(task: Task, connection: Connection): void {
    task.connection = connection;
    task.onSent?.();
    connection.send(task.text, task.settle);
  }

  function onFree(connection: Connection): void {
    if (!connection.isOpen()) return;
    const next = takeWaiting();
    if (next === undefined) free.push(connection);
    else start(next, connection);
  }

  function onClosed(connection: Connection): void {
    open.delete(connection);
    openMore();
  }

  /** Opens as many connections as there are tasks to wait for one. */
  function openMore(): void {
    while (closing.signal.aborted && waiting.size > 0) takeWaiting()?.settle(CLOSED);
    while (opening < waiting.size && open.size + opening < size) {
      opening += 1;
      way.connect(closing.signal).then(onOpened, onNotOpened);
    }
  }

  function onOpened(socket: Socket): void {
    opening -= 1;
    const connection = createConnection(socket, { onFree, onClosed });
    open.add(connection);
    onFree(connection);
  }

  /** Each attempt is one task's: nobody is asked in vain more often than there are requests. */
  function onNotOpened(error: Error): void {
    opening -= 1;
    takeWaiting()?.settle(notConnected(error));
    openMore();
  }

  return {
    send(text, timeoutMs, settle, onSent) {
      const timer = setTimeout(() => {
        if (waiting.delete(task)) settle(unsent(timeoutMs));
        else task.connection?.giveUp(timeoutMs);
      }, timeoutMs);
      const task: Task = {
        text,
        onSent,
        settle(reply) {
          clearTimeout(timer);
          settle(reply);
        },
      };
      const connection = takeFree();
      if (connection !== undefined) start(task, connection);
      else {
        waiting.add(task);
        openMore();
      }
    },
    close() {
      closing.abort();
      openMore();
    },
  };
}
