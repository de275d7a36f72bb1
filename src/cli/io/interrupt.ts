/**
 * Handles Ctrl-C and SIGTERM. The first signal asks the work in progress to stop. A second signal, or a first
 * signal without work in progress, ends the process.
 */
import { EXIT } from '../../model/errors.ts';
import type { Io } from './io.ts';

let current: AbortController | undefined;
let mayHaveSent = false;

const FINISHING = '\nInterrupted: finishing requests in flight. Press Ctrl-C again to quit immediately.\n';

export function installInterrupts(io: Io): void {
  const onSignal = (): void => {
    if (current === undefined || current.signal.aborted) leave(io);
    io.err(FINISHING);
    current.abort(new Error('interrupted'));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  // Disables Node's default: it opens a debugger, to which anybody on this machine can connect.
  process.on('SIGUSR1', () => undefined);
}

function leave(io: Io): never {
  if (!mayHaveSent) io.err('\nInterrupted: no website was changed.\n');
  // Node waits for open reads before it exits, such as one from a dead file server. Without the listeners, the next
  // signal ends the process at once.
  process.removeAllListeners('SIGINT');
  process.removeAllListeners('SIGTERM');
  process.exit(EXIT.interrupted);
}

/** Makes the first interrupt abort `signal` instead of ending the process. */
export function takeInterrupts() {
  current = new AbortController();
  mayHaveSent = true;
  return {
    signal: current.signal,
    /** After this, the first signal ends the process again. */
    end(): void {
      current = undefined;
    },
  };
}
