/** The list of public suffixes (publicsuffix.org): names under which others register domains. */
import { getPublicSuffix } from 'tldts';

/**
 * Whether a domain, A-labels and all, is such a name alone, as `co.uk` is. Suffixes that companies made of
 * domains of their own (`github.io`) are websites too and do not count.
 */
export function isPublicSuffix(domain: string): boolean {
  return getPublicSuffix(domain, { allowPrivateDomains: false, extractHostname: false }) === domain;
}
