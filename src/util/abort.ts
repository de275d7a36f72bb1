/** Listening to a signal for as long as some work takes. */

/** Works, and calls `onAbort` when `signal` aborts; afterwards nothing listens to it, which may live for longer. */
export async function whileListening<T>(
  signal: AbortSignal,
  onAbort: () => void,
  work: () => Promise<T>,
): Promise<T> {
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await work();
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
