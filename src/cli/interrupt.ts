/**
 * Ctrl-C and SIGTERM: the first asks whoever is at work to end in order, the second, or the first when
 * nobody is, leaves at once. The journal is right either way.
 */
import { EXIT } from '../core/errors.ts';
import type { Io } from './io.ts';

let current: { readonly controller: AbortController; readonly message: string } | undefined;

const FINISHING = 'Interrupted: no new work starts, what is under way is finished. Once more leaves at once.';

/** To be called once, before any command runs. */
export function installInterrupts(io: Io): void {
  const onSignal = (): void => {
    if (current === undefined || current.controller.signal.aborted) process.exit(EXIT.interrupted);
    if (current.message !== '') io.err(`\n${current.message}\n`);
    current.controller.abort(new Error('interrupted'));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}

/**
 * Runs `work` so that the first interrupt shows `message`, unless that is empty, and aborts its signal instead of
 * ending the process.
 */
export async function interruptible<T>(
  work: (signal: AbortSignal) => Promise<T>,
  message: string = FINISHING,
): Promise<T> {
  const controller = new AbortController();
  current = { controller, message };
  try {
    return await work(controller.signal);
  } finally {
    current = undefined;
  }
}
