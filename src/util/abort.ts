/** Calls `onAbort` when `signal` aborts. Returns a function that removes the listener: the signal may live longer. */
export function listen(signal: AbortSignal, onAbort: () => void): () => void {
  signal.addEventListener('abort', onAbort, { once: true });
  return () => signal.removeEventListener('abort', onAbort);
}
