/** Passwords of websites as they are kept. */
import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';

const COST = { N: 16384, r: 8, p: 1 };
const LENGTH = 32;

const derive = promisify<string, Buffer, number, typeof COST, Buffer>(scrypt);

/**
 * Hashes a password with a salt of its own, off the main thread: `scrypt$N$r$p$SALT$HASH`, the last
 * two in base64url.
 */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, LENGTH, COST);
  const { N, r, p } = COST;
  return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$');
}
