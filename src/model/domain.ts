/** Identity of websites (decision: "Records match by domain and compare by meaning"). */

import { contains, firstOfNoName, type Oddity, trimPlain } from '../util/look-alikes.ts';
import { canonicalAddress } from './ip-address.ts';

export interface NormalisedDomain {
  readonly domain: string;
  /** Only a `name` is usual for a website and accepted by every service. */
  readonly kind: 'name' | 'underscore' | 'ip' | 'label' | 'no-tld';
  /** Parts of the text that were dropped, in words: "the scheme", "the path", "the port". */
  readonly dropped: readonly string[];
}

/** The end of the sentence "X is not a domain: …"; `oddity` is the character to remove. */
export interface NoDomain {
  readonly reason: string;
  readonly oddity?: Oddity | undefined;
}

const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
/** The last label of a `name`: a possible top-level domain. */
const TOP_LEVEL = '(?:[a-z]{2,63}|xn--[a-z0-9-]{0,58}[a-z0-9])';
const PLAIN_NAME = new RegExp(`^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+${TOP_LEVEL}$`);
const MAX_LENGTH = 253;
/** The dots of RFC 3490, section 3.1, other than the full stop. */
const WIDE_DOTS = /[\u3002\uff0e\uff61]/g;
/** A last label that URL parsers take for a number, and the whole domain for an IPv4 address. */
const NUMBER_LAST = /(?:^|\.)(?:\d+|0x[\da-f]*)$/;

/**
 * Normalizes `text` to the domain that identifies a website: trimmed, lower case, without scheme, path, port
 * and trailing dot, internationalized names as A-labels (RFC 5891). A leading `www.` stays.
 * A quote, dash or invisible character beyond ASCII is refused, though URL parsers would encode or drop it.
 */
export function normaliseDomain(text: string): NormalisedDomain | NoDomain {
  if (isPlainName(text)) return { domain: text, kind: 'name', dropped: [] };
  const { host, dropped } = hostIn(trimPlain(text));
  if (host.includes('@')) return { reason: 'it contains an @, as an email address or credentials do' };
  // A scheme contains no odd character, so the first one of the host is the first of the text.
  if (firstOfNoName(host) !== undefined) return noDomain(firstOfNoName(text));
  const domain = toAscii(host);
  const reason = whyNoDomain(domain);
  if (reason !== undefined) return { reason };
  const unusual = !domain.includes('.') ? 'label' : domain.includes('_') ? 'underscore' : 'no-tld';
  const kind = isPlainName(domain) ? 'name' : canonicalAddress(domain) ? 'ip' : unusual;
  return { domain, kind, dropped };
}

/** Identity of a domain as the service wrote it: normalized if possible, otherwise trimmed and in lower case. */
export function domainKey(text: string): string {
  if (isPlainName(text)) return text;
  const trimmed = text.trim();
  const domain = toAscii(hostIn(trimmed).host);
  return whyNoDomain(domain) === undefined ? domain : trimmed.toLowerCase();
}

const PARTS = [
  // As browsers do: the rest of `https:/x` would otherwise be a website "https".
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

/** Checked first: nearly all names are normalized, and this is by far the cheapest. */
export function isPlainName(text: string): boolean {
  return text.length <= MAX_LENGTH && PLAIN_NAME.test(text);
}

/** UTS 46 has one small sigma; `toLowerCase` writes another at the end of a word. */
export function lowerCase(text: string): string {
  return text.replaceAll('Σ', 'σ').toLowerCase();
}

function toAscii(host: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is all of ASCII
  if (/^[\x00-\x7f]*$/.test(host) || host.length > MAX_LENGTH) return host;
  // Characters with a meaning in URLs would be read as such, or dropped.
  if (/[^\w.\-\u0080-\uffff]/.test(host)) return host;
  try {
    // The appended label keeps digits of other scripts from being read as an IPv4 address.
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
  if (host.includes('*')) return 'a * is for patterns (ignore, protected) only';
  const odd = /[^a-z0-9_.\-\u0080-\uffff]/.exec(host)?.[0];
  if (odd !== undefined) return `it holds ${JSON.stringify(odd)}`;
  if (!host.split('.').every((label) => LABEL.test(label))) return BAD_LABEL;
  return NUMBER_LAST.test(host) && !canonicalAddress(host) ? 'its last label is a number' : undefined;
}

/** Orders by code unit, the same on every machine and in every locale. */
export function compareDomains(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Compiles `patterns` (whole domains; `*` stands for any characters, dots included) to one test of a
 * normalized domain. Internationalized patterns match A-labels. Patterns are checked before (`whyNoPattern`).
 */
export function matcher(patterns: readonly string[]): (domain: string) => boolean {
  const exact = new Set<string>();
  const globs: ((domain: string) => boolean)[] = [];
  for (const pattern of patterns) {
    if (!pattern.includes('*')) exact.add(domainKey(pattern));
    else globs.push(glob(labelsOf(pattern).map(toAscii).join('.')));
  }
  return (domain) => exact.has(domain) || globs.some((matches) => matches(domain));
}

/** Never backtracks. */
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

/** The end of the sentence "X is not a valid domain pattern: …"; `undefined` for a pattern. */
export function whyNoPattern(pattern: string): NoDomain | undefined {
  const example = normaliseDomain(pattern.replace(/\*+/g, 'x'));
  // The position counts in the pattern as it was written.
  if ('reason' in example) return example.oddity === undefined ? example : noDomain(firstOfNoName(pattern));
  if (example.dropped.length > 0) return { reason: `take out ${example.dropped.join(' and ')}` };
  const isMixed = labelsOf(pattern).some((label) => label.includes('*') && /[\u0080-\uffff]/.test(label));
  return isMixed ? { reason: 'an internationalized label cannot hold a *' } : undefined;
}
