/**
 * What is written down of a key. An API key may be short or a word, and plans and journals are read by many:
 * each guess that is tested by them is to cost as much as stretching it does.
 */
import { hkdfSync, type ScryptOptions, scrypt } from 'node:crypto';
import { promisify } from 'node:util';

/** 8 MiB and about 15 ms for one guess; every command that connects pays it once. */
const COST: ScryptOptions = { N: 2 ** 13, r: 8, p: 1 };

const derive = promisify<string, string, number, ScryptOptions, Buffer>(scrypt);

/** The key that all else is derived from, of `secret` at the service `identity`: of another service it is another. */
export function stretch(secret: string, identity: string): Promise<Buffer> {
  return derive(secret, `websites-as-code/1\n${identity}`, 32, COST);
}

/** What plans and journals tell API keys apart by. */
export function keyFingerprintOf(stretched: Buffer): string {
  const digest = Buffer.from(hkdfSync('sha256', stretched, '', 'key fingerprint', 8));
  return `scrypt:${digest.toString('hex')}`;
}
