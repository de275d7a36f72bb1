import * as z from 'zod/mini';
import { trimPlain } from '../util/look-alikes.ts';

const V4 = z.union([z.ipv4(), z.cidrv4()]);
const V6 = z.union([z.ipv6(), z.cidrv6()]);

/** Returns the canonical text (RFC 5952) of an IP address or network (`ADDRESS/BITS`); otherwise `undefined`. */
export function canonicalAddress(text: string): string | undefined {
  const plain = trimPlain(text);
  if (V4.safeParse(plain).success) return plain;
  if (!V6.safeParse(plain).success) return undefined;
  const [address, ...bits] = plain.split('/');
  return [new URL(`http://[${address}]`).hostname.slice(1, -1), ...bits].join('/');
}
