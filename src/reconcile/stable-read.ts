/** Reading files that others write at any time. */
import { WebsitesError } from '../model/errors.ts';

/** Longer than an editor or a copy pauses within one writing, in milliseconds. */
const SETTLE_MS = 1000;

interface Read {
  readonly digest: string;
}

/**
 * Wraps `load`, so that what has changed since the last time is taken only once it has stayed the same for a second:
 * half of a file may be a whole file with fewer websites. Throws `config-invalid` where it has not, and what `load`
 * throws.
 */
export function settled<T extends Read>(
  load: () => Promise<T>,
  sleep: (milliseconds: number) => Promise<void>,
): () => Promise<T> {
  let known: string | undefined;
  return async () => {
    const first = await load();
    if (first.digest === known) return first;
    await sleep(SETTLE_MS);
    const second = await load();
    if (second.digest !== first.digest) {
      throw new WebsitesError('config-invalid', 'The files changed while they were read.', {
        remedy:
          'They will be read again in the next pass. To avoid this, replace files atomically (write, then rename).',
      });
    }
    known = second.digest;
    return second;
  };
}
