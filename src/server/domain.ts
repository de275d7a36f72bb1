/** The domain of a new record as this service keeps it. */
import { lowerCase, normaliseDomain } from '../model/domain.ts';
import { trimPlain } from '../util/look-alikes.ts';

/**
 * Lower case, without an http scheme and one leading `www.`; internationalized names stay as they were sent.
 * Returns the reason, as the end of the sentence "The domain format is invalid: …", where it is none.
 */
export function acceptDomain(text: string): { readonly domain: string } | { readonly reason: string } {
  const domain = lowerCase(trimPlain(text))
    .replace(/^https?:\/\//, '')
    .replace(/^www\./, '');
  const normalised = normaliseDomain(domain);
  if ('reason' in normalised) return normalised;
  const [dropped] = normalised.dropped;
  if (dropped !== undefined) return { reason: `${dropped} is not part of a domain` };
  if (/[.\u3002\uff0e\uff61]$/.test(domain)) return { reason: 'it ends in a dot' };
  return { domain };
}
