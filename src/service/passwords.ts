/** Passwords of websites as they are kept. */
import { randomBytes, scrypt } from 'node:crypto';

const COST = { N: 16384, r: 8, p: 1 };
const LENGTH = 32;

/**
 * Hashes a password with a salt of its own, off the main thread: `scrypt$N$r$p$SALT$HASH`, the last
 * two in base64url.
 */
export function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  return new Promise((resolve, reject) => {
    scrypt(password, salt, LENGTH, COST, (error, hash) => {
      if (error !== null) reject(error);
      else {
        const { N, r, p } = COST;
        resolve(['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$'));
      }
    });
  });
}
