/**
 * Ctrl-C and SIGTERM: the first asks whoever is at work to end in order, the second, or the first when
 * nobody is, leaves at once. The journal is right either way.
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
  // By itself Node opens a debugger by it, which whoever is on this machine may talk to.
  process.on('SIGUSR1', () => undefined);
}

function leave(io: Io): never {
  if (!isBegun) io.err('\nInterrupted: no website was changed.\n');
  // Leaving waits for what is being read, such as a file of a server that is gone: then the next signal ends it.
  process.removeAllListeners('SIGINT');
  process.removeAllListeners('SIGTERM');
  process.exit(EXIT.interrupted);
}

export interface Interrupts {
  /** Aborted by the first one. */
  readonly signal: AbortSignal;
  /** From here on, the first one ends the process again. */
  end(): void;
}

/** From here on, the first interrupt shows `message` and ends the process no more. */
export function takeInterrupts(message: string = FINISHING): Interrupts {
  const controller = new AbortController();
  current = { controller, message };
  isBegun = true;
  return {
    signal: controller.signal,
    end() {
      current = undefined;
    },
  };
}
