/** Fixed windows of requests, counted in memory. */
import type { Store } from './store.ts';

/** Counts as a store does (Store.countRequest), for as long as the process lives. */
export function requestWindows(): Store['countRequest'] {
  const windows = new Map<number, { hits: number; readonly endsAt: number }>();
  return async (id, now, length) => {
    const known = windows.get(id);
    const isOpen = known !== undefined && now < known.endsAt && known.endsAt <= now + 2 * length;
    const window = isOpen ? known : { hits: 0, endsAt: now + length };
    windows.set(id, window);
    window.hits += 1;
    return { ...window };
  };
}
