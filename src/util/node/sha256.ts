import { createHash } from 'node:crypto';

export function sha256(content: Uint8Array | string | Iterable<string>): string {
  const hash = createHash('sha256');
  const parts = typeof content === 'string' || content instanceof Uint8Array ? [content] : content;
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}
