import { trimPlain } from '../util/look-alikes.ts';

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** Returns the canonical text (RFC 5952) of an IP address or network (`ADDRESS/BITS`); otherwise `undefined`. */
export function canonicalAddress(text: string): string | undefined {
  const [address = '', bits, ...rest] = trimPlain(text).split('/');
  if (rest.length > 0) return undefined;
  const v6 = address.includes(':');
  const canonical = v6 ? canonicalV6(address) : IPV4.test(address) ? address : undefined;
  if (canonical === undefined || bits === undefined) return canonical;
  if (!/^(?:0|[1-9]\d{0,2})$/.test(bits) || Number(bits) > (v6 ? 128 : 32)) return undefined;
  return `${canonical}/${bits}`;
}

function canonicalV6(address: string): string | undefined {
  if (!/^[0-9a-f:.]+$/i.test(address)) return undefined;
  try {
    return new URL(`http://[${address}]`).hostname.slice(1, -1);
  } catch {
    return undefined;
  }
}
