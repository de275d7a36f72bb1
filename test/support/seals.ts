import type { Seals } from '../../src/model/plan.ts';
import { createSeals, deriveKey } from '../../src/sync/keys.ts';

export const SEALS = createSeals('key', 'https://analytics.example.com');

/** The seals of the program with `key` on the service at `url`. */
export async function sealsOf(key: string, url: string): Promise<Seals> {
  return createSeals(await deriveKey(key, url), url);
}
