/** Digests of files, plans and names. */
import { createHash } from 'node:crypto';

/** SHA-256 of all parts, one after the other, as hex. */
export function sha256(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}
