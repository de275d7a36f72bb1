/** Normalizes domains, which identify websites (decision: "Records match by domain and compare by meaning"). */

import { contains, firstOfNoName, type Oddity, trimPlain } from '../util/look-alikes.ts';
import { canonicalAddress } from './ip-address.ts';

export interface NormalisedDomain {
  readonly domain: string;
  /** Every service accepts a `name`. The other kinds are unusual for a website. */
  readonly kind: 'name' | 'underscore' | 'ip' | 'label' | 'no-tld';
  /** Removed parts of the text, in words: "the scheme", "the path", "the port". */
  readonly dropped: readonly string[];
}

/** Continues the sentence "X is not a domain: …". `oddity` is the character to remove. */
export interface NoDomain {
  readonly reason: string;
  readonly oddity?: Oddity | undefined;
}

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** Matches the last label of a `name`, which may be a top-level domain. */
const TOP_LEVEL = '(?:[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])';
const PLAIN_NAME = new RegExp(`^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+${TOP_LEVEL}$`);
const MAX_LENGTH = 253;
/** Dots of RFC 3490, section 3.1, except the full stop. */
const WIDE_DOTS = /[\u3002\uff0e\uff61]/g;
/** Matches a numeric last label, with which URL parsers take a domain for an IPv4 address. */
const NUMBER_LAST = /(?:^|\.)(?:\d+|0x[\da-f]*)$/;

/**
 * Normalizes `text` to the domain that identifies a website: trimmed, in lower case, without scheme, path, port and
 * trailing dot, and with internationalized labels in ASCII (`xn--`, RFC 5891). Keeps a leading `www.`. Rejects a
 * non-ASCII quote, dash or invisible character, which URL parsers would encode or drop.
 */
export function normaliseDomain(text: string): NormalisedDomain | NoDomain {
  if (isPlainName(text)) return { domain: text, kind: 'name', dropped: [] };
  const { host, dropped } = hostIn(trimPlain(text));
  if (host.includes('@')) return { reason: 'it contains an @, like an email address or credentials' };
  // A scheme contains no such character, so the first one in the host is also the first one in the text.
  if (firstOfNoName(host) !== undefined) return noDomain(firstOfNoName(text));
  const domain = toAscii(host);
  const reason = whyNoDomain(domain);
  if (reason !== undefined) return { reason };
  const unusual = !domain.includes('.') ? 'label' : domain.includes('_') ? 'underscore' : 'no-tld';
  const kind = isPlainName(domain) ? 'name' : canonicalAddress(domain) ? 'ip' : unusual;
  return { domain, kind, dropped };
}

/** Returns the identity of a domain from the service: normalized if possible, otherwise trimmed and in lower case. */
export function domainKey(text: string): string {
  if (isPlainName(text)) return text;
  const trimmed = text.trim();
  const domain = toAscii(hostIn(trimmed).host);
  return whyNoDomain(domain) === undefined ? domain : trimmed.toLowerCase();
}

const PARTS = [
  // Includes `https:/x`, which browsers accept: otherwise its domain would be "https".
  ['the scheme', /^(?:https?:\/?(?!\/)|[a-z][a-z0-9+.-]*:\/\/|\/\/)/],
  ['the path', /[/?#\\].*$/s],
  ['the port', /:\d{0,5}$/],
] as const;

function hostIn(text: string) {
  const dropped: string[] = [];
  let host = lowerCase(text);
  for (const [what, pattern] of PARTS) {
    const rest = host.replace(pattern, '');
    if (rest !== host) dropped.push(what);
    host = rest;
  }
  return { host: host.replace(WIDE_DOTS, '.').replace(/\.$/, ''), dropped };
}

function noDomain(oddity: Oddity | undefined): NoDomain {
  return { reason: oddity === undefined ? 'it is empty' : contains(oddity), oddity };
}

/** Checked first, because nearly all names are already normalized and this check is by far the fastest. */
export function isPlainName(text: string): boolean {
  return text.length <= MAX_LENGTH && PLAIN_NAME.test(text);
}

/** UTS 46 maps to one small sigma. `toLowerCase` alone would use the final sigma at the end of a word. */
export function lowerCase(text: string): string {
  return text.replaceAll('Σ', 'σ').toLowerCase();
}

function toAscii(host: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is all of ASCII
  if (/^[\x00-\x7f]*$/.test(host) || host.length > MAX_LENGTH) return host;
  // A URL parser would interpret or drop these characters, because they have a meaning in URLs.
  if (/[^\w.\-\u0080-\uffff]/.test(host)) return host;
  try {
    // The appended label prevents that digits of other scripts are parsed as an IPv4 address.
    return new URL(`http://${host}.x`).hostname.slice(0, -'.x'.length);
  } catch {
    return host;
  }
}

const BAD_LABEL = 'a label is not 1 to 63 letters or digits with hyphens between them';

function whyNoDomain(host: string): string | undefined {
  if (host === '') return 'it is empty';
  if (host.length > MAX_LENGTH) return `it is longer than ${MAX_LENGTH} characters`;
  if (/\s/.test(host)) return 'it contains white space';
  if (host.includes('*')) return 'it contains a *, which is valid only in patterns';
  const odd = /[^a-z0-9_.\-\u0080-\uffff]/.exec(host)?.[0];
  if (odd !== undefined) return `it contains ${JSON.stringify(odd)}`;
  if (!host.split('.').every((label) => LABEL.test(label))) return BAD_LABEL;
  return NUMBER_LAST.test(host) && !canonicalAddress(host) ? 'its last label is a number' : undefined;
}

/** Compares by code unit, which is the same on every machine and in every locale. */
export function compareDomains(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Compiles `patterns` to one function that tests a normalized domain. A pattern is a whole domain, in which `*`
 * matches any characters and dots. The patterns must be valid (`whyNoPattern`).
 */
export function matcher(patterns: readonly string[]): (domain: string) => boolean {
  // Most configurations have this scope, and each record of a service is compared with it.
  if (patterns.includes('*')) return () => true;
  const exact = new Set<string>();
  const globs: ((domain: string) => boolean)[] = [];
  for (const pattern of patterns) {
    if (!pattern.includes('*')) exact.add(domainKey(pattern));
    else globs.push(glob(labelsOf(pattern).map(toAscii).join('.')));
  }
  return (domain) => exact.has(domain) || globs.some((matches) => matches(domain));
}

/** Matches without backtracking, so that no pattern takes exponential time. */
function glob(pattern: string): (text: string) => boolean {
  const [head = '', ...pieces] = pattern.split(/\*+/);
  const tail = pieces.pop() ?? '';
  return (text) => {
    if (!text.startsWith(head) || !text.endsWith(tail)) return false;
    const end = text.length - tail.length;
    let at = head.length;
    for (const piece of pieces) {
      const found = text.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return at <= end;
  };
}

function labelsOf(pattern: string): string[] {
  return lowerCase(pattern.trim()).replace(WIDE_DOTS, '.').replace(/\.$/, '').split('.');
}

/** Continues the sentence "X is not a valid domain pattern: …"; `undefined` for a valid pattern. */
export function whyNoPattern(pattern: string): NoDomain | undefined {
  const example = normaliseDomain(pattern.replace(/\*+/g, 'x'));
  // The position refers to the pattern as it was written.
  if ('reason' in example) return example.oddity === undefined ? example : noDomain(firstOfNoName(pattern));
  if (example.dropped.length > 0) return { reason: `it contains ${example.dropped.join(' and ')}` };
  const isMixed = labelsOf(pattern).some((label) => label.includes('*') && /[\u0080-\uffff]/.test(label));
  return isMixed ? { reason: 'an internationalized label cannot contain a *' } : undefined;
}
