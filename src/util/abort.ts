/** Calls `onAbort` when `signal` aborts. The returned function ends this: the signal may live longer. */
export function listen(signal: AbortSignal, onAbort: () => void): () => void {
  signal.addEventListener('abort', onAbort, { once: true });
  return () => signal.removeEventListener('abort', onAbort);
}
