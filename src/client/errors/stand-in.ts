/**
 * What answers in place of the service: a challenge, a login form, a portal, a proxy with a login of its own. The service
 * answers JSON where it is asked for it, and never asks for Basic authentication.
 */
import { firstOf } from '../../util/text.ts';
import { pageTitle } from '../error-body.ts';
import type { Answer } from '../http/answer.ts';

/** The network asks for a login (RFC 6585, section 6). */
const LOGIN_TO_NETWORK = 511;
const FORBIDDEN = 403;
const OTHER_SCHEMES = /^\s*(?:basic|digest|ntlm|negotiate|kerberos)\b/i;
/** Servers that stand in front of others. */
const FRONTS =
  /cloudflare|akamai|imperva|incapsula|sucuri|awselb|big-?ip|fortinet|zscaler|squid|bluecoat|varnish/i;
const LONGEST_NAME = 80;

/** Whether an answer is a page. */
export function isPage({ headers, body }: Answer): boolean {
  return (
    /\bhtml\b/i.test(headers['content-type'] ?? '') ||
    /^\s*<(?:!doctype\s+html|html)\b/i.test(body.slice(0, 500))
  );
}

/**
 * Whether an answer that is no success is not the service's. `isOwn`: the service may refuse what was asked for by itself
 * with such a status, since it took the key before.
 */
export function isStandIn(answer: Answer, isOwn: boolean): boolean {
  const { status, headers } = answer;
  if (headers['cf-mitigated'] !== undefined || status === LOGIN_TO_NETWORK) return true;
  if (status === 401 && OTHER_SCHEMES.test(headers['www-authenticate'] ?? '')) return true;
  const isFront = FRONTS.test(headers.server ?? '');
  return isPage(answer) && (status === FORBIDDEN ? isFront || !isOwn : status === 401 && isFront);
}

/** Who answered, as far as it tells: `server cloudflare, title "Just a moment..."`. */
export function standInNames({ headers, body }: Answer): string {
  const title = pageTitle(body);
  const named = [
    headers.server === undefined ? [] : `server ${firstOf(headers.server, LONGEST_NAME)}`,
    title === undefined || title === '' ? [] : `title "${firstOf(title, LONGEST_NAME)}"`,
  ].flat();
  return named.length === 0 ? '' : ` (${named.join(', ')})`;
}
