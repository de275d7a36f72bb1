/** Where a redirect of a website leads: further into the website, or away from it. */
import { getDomain } from 'tldts';

/** Redirects that are followed for one website. */
const MOST_REDIRECTS = 5;

export type Redirect =
  | { readonly kind: 'follow'; readonly to: URL }
  /** Another registrable domain, which is not requested. */
  | { readonly kind: 'elsewhere'; readonly to: URL }
  | { readonly kind: 'impossible'; readonly reason: string };

/** Judges the header `location` of the response to `from`, after `followed` redirects. */
export function judgeRedirect(from: URL, location: string, followed: number): Redirect {
  if (!URL.canParse(location, from.href)) return { kind: 'impossible', reason: 'a redirect to no valid URL' };
  const to = new URL(location, from);
  if (to.protocol !== 'https:' && to.protocol !== 'http:')
    return { kind: 'impossible', reason: `a redirect to ${to.protocol}` };
  // They are no matter of a probe, and belong in no report.
  [to.username, to.password, to.hash] = ['', '', ''];
  if (registrableDomain(from.hostname) !== registrableDomain(to.hostname)) return { kind: 'elsewhere', to };
  if (!isWebPort(to.port)) return { kind: 'impossible', reason: `a redirect to port ${to.port}` };
  return followed < MOST_REDIRECTS
    ? { kind: 'follow', to }
    : { kind: 'impossible', reason: `more than ${MOST_REDIRECTS} redirects` };
}

/** Not one of another well-known service, which a request must not be smuggled to. */
function isWebPort(port: string): boolean {
  return port === '' || port === '80' || port === '443' || Number(port) >= 1024;
}

/** The domain that somebody registered; the host itself where it is an address, or a public suffix. */
function registrableDomain(host: string): string {
  const options = { allowPrivateDomains: true, extractHostname: false, validateHostname: false };
  return getDomain(host, options) ?? host;
}
