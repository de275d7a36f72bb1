import { domainToUnicode } from 'node:url';
import { getPublicSuffix } from 'tldts';
import { matcher, normaliseDomain } from '../../model/domain.ts';
import type { Place } from '../../model/errors.ts';
import type { Skipped } from '../../model/import-report.ts';
import { canonicalAddress } from '../../model/ip-address.ts';
import { otherOf, withOtherNames } from '../../planner/match.ts';
import { contains, firstOfNoName } from '../../util/look-alikes.ts';
import { redacted } from '../../util/redact.ts';
import { withoutPrefix } from '../bulk/columns.ts';
import type { Config } from '../load.ts';

type WhyNot = Pick<Skipped, 'reason' | 'message'>;

export type Register = ReturnType<typeof createRegister>;

export function createRegister(config: Pick<Config, 'desired' | 'pins'> | undefined) {
  const known = new Map<string, { readonly place: Place; readonly isDeclared: boolean }>();
  for (const { domain, source } of config?.desired.websites ?? []) {
    known.set(domain, { place: source, isDeclared: true });
  }
  const isIgnored = matcher(withOtherNames(config?.desired.ignore ?? [], config?.pins));
  const isInScope = matcher(config?.desired.scope ?? ['*']);
  const why = (domain: string, place: Place): WhyNot | undefined => {
    const there = known.get(domain);
    if (there?.isDeclared)
      return { reason: 'declared', message: `already declared in ${lineOf(there.place)}` };
    if (there !== undefined)
      return { reason: 'duplicate', message: `duplicate of ${lineOf(there.place, place)}` };
    const other = known.get(otherOf(domain, config?.pins) ?? '');
    if (other !== undefined)
      return { reason: 'www_variant', message: `www variant of ${lineOf(other.place, place)}` };
    if (isIgnored(domain)) return { reason: 'ignored', message: 'covered by a pattern under "ignore"' };
    return isInScope(domain) ? undefined : { reason: 'ignored', message: 'outside of "scope"' };
  };
  return {
    read(cell: unknown, place: Place): string | (WhyNot & Pick<Skipped, 'subject'>) {
      const domain = domainOf(cell);
      if (typeof domain !== 'string') return { subject: redacted(String(cell)), ...domain };
      const reason = why(domain, place);
      return reason === undefined ? domain : { subject: domain, ...reason };
    },
    take: (domain: string, place: Place) => known.set(domain, { place, isDeclared: false }),
  };
}

function lineOf({ file, line }: Place, from?: Place): string {
  return file === from?.file ? `line ${line}` : `${file}:${line}`;
}

/** Returns the domain in a cell. An empty text is later reported as a record without a domain. */
function domainOf(cell: unknown): string | WhyNot {
  if (typeof cell !== 'string') return '';
  const text = withoutPrefix(cell);
  if (text.includes(':') && canonicalAddress(text) !== undefined) return IP_ADDRESS;
  const normalised = normaliseDomain(text);
  if ('reason' in normalised) return notADomain(normalised.reason);
  const { domain, kind } = normalised;
  if (kind === 'ip') return IP_ADDRESS;
  if (kind === 'label') return notADomain('it has no dot');
  const oddity = domain.includes('xn--') ? firstOfNoName(domainToUnicode(domain)) : undefined;
  if (oddity !== undefined) return notADomain(`decoded, ${contains(oddity)}`);
  // Suffixes of companies, such as github.io, count as websites (publicsuffix.org).
  const suffix = getPublicSuffix(domain, { allowPrivateDomains: false, extractHostname: false });
  if (suffix !== domain) return domain;
  return { reason: 'public_suffix', message: 'a public suffix alone, under which others register domains' };
}

function notADomain(reason: string): WhyNot {
  return { reason: 'not_a_domain', message: `not a domain: ${reason}` };
}

const IP_ADDRESS: WhyNot = { reason: 'ip_address', message: 'an IP address, not a domain' };
