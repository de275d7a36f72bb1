/** Has `onAbort` called when `signal` aborts, until the function that it returns is: the signal may live for longer. */
export function listen(signal: AbortSignal, onAbort: () => void): () => void {
  signal.addEventListener('abort', onAbort, { once: true });
  return () => signal.removeEventListener('abort', onAbort);
}
