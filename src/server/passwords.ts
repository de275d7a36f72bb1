/** Passwords of websites as they are kept. */
import { randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';

const COST = { N: 16384, r: 8, p: 1 };
const LENGTH = 32;

const derive = promisify<string, Buffer, number, typeof COST, Buffer>(scrypt);

/** As many as Node has threads for it. What is handed to them can no longer be called off. */
const AT_ONCE = 4;

let underway = 0;
const waiting: (() => void)[] = [];

/**
 * Hashes a password with a salt of its own, off the main thread: `scrypt$N$r$p$SALT$HASH`, the last
 * two in base64url. Throws where it is not `isWanted` any more once its turn comes.
 */
export async function hashPassword(password: string, isWanted: () => boolean): Promise<string> {
  if (underway < AT_ONCE) underway += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    if (!isWanted()) throw new Error('nobody waits for the hash of this password');
    return await hash(password);
  } finally {
    const next = waiting.shift();
    if (next === undefined) underway -= 1;
    else next();
  }
}

async function hash(password: string): Promise<string> {
  const salt = randomBytes(16);
  const derived = await derive(password, salt, LENGTH, COST);
  const { N, r, p } = COST;
  return ['scrypt', N, r, p, salt.toString('base64url'), derived.toString('base64url')].join('$');
}
