/** The time of change of a journal as a sign that its run is at work, and may be sending. */
import type { FileHandle } from 'node:fs/promises';

/** How often it is renewed, in milliseconds. */
export const BEAT_MS = 1000;

/** Keeps the time of change of `file` no older than that; returns what ends it. */
export function keepFresh(file: FileHandle): () => void {
  const beat = (): void => {
    const now = Date.now() / 1000;
    // It is tried again with the next beat.
    void file.utimes(now, now).catch(() => undefined);
  };
  const timer = setInterval(beat, BEAT_MS);
  timer.unref();
  return () => clearInterval(timer);
}
