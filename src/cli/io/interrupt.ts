/**
 * Ctrl-C and SIGTERM: the first one asks the work in progress to stop in order; the second one, or the first without
 * such work, ends the process.
 */
import { EXIT } from '../../model/errors.ts';
import type { Io } from './io.ts';

let current: { readonly controller: AbortController; readonly message: string } | undefined;
let isBegun = false;

const FINISHING = 'Interrupted: finishing requests in flight. Press Ctrl-C again to quit immediately.';

export function installInterrupts(io: Io): void {
  const onSignal = (): void => {
    if (current === undefined || current.controller.signal.aborted) leave(io);
    io.err(`\n${current.message}\n`);
    current.controller.abort(new Error('interrupted'));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  // By default Node opens a debugger, to which anyone on this machine may connect.
  process.on('SIGUSR1', () => undefined);
}

function leave(io: Io): never {
  if (!isBegun) io.err('\nInterrupted: no website was changed.\n');
  // Exiting waits for open reads, such as a file on a dead server: then the next signal ends it.
  process.removeAllListeners('SIGINT');
  process.removeAllListeners('SIGTERM');
  process.exit(EXIT.interrupted);
}

/** Makes the first interrupt show `message` instead of ending the process. */
export function takeInterrupts(message: string = FINISHING) {
  const controller = new AbortController();
  current = { controller, message };
  isBegun = true;
  return {
    signal: controller.signal,
    /** Lets the next first signal end the process again. */
    end(): void {
      current = undefined;
    },
  };
}
