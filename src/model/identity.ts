/**
 * Ids show nothing by themselves: one that was shown for two websites belongs to neither, and nothing is written by
 * it (decision: "Only a complete list is believed").
 */

import { some } from '../util/text.ts';
import { domainKey, isNamed } from './domain.ts';
import { ServiceError } from './service.ts';
import type { Disputed, Website, WwwRule } from './website.ts';

type Named = Pick<Website, 'domain'>;

/** Collects the ids that are shown for several websites. */
export interface Disputes {
  /** Whether `shown` is the website that is `known` by its id; an id for which that fails once is disputed from then on. */
  agree(known: Named | undefined, shown: Named & Pick<Website, 'id'>): boolean;
  add(disputed: readonly Disputed[] | undefined): void;
  has(id: string): boolean;
  all(): readonly Disputed[];
}

/** Unless `www` says that they are distinct, a domain and its www variant are one website. */
export function startDisputes(www: () => WwwRule | 'undecided' | undefined): Disputes {
  const disputed = new Map<string, Set<string>>();

  function note(id: string, domains: readonly string[]): void {
    const names = disputed.get(id) ?? new Set();
    disputed.set(id, names);
    for (const domain of domains) names.add(domainKey(domain));
  }

  return {
    agree(known, shown) {
      const isKnown =
        known === undefined ||
        known.domain === shown.domain ||
        isNamed(shown, domainKey(known.domain), www());
      if (isKnown && !disputed.has(shown.id)) return true;
      note(shown.id, known === undefined ? [shown.domain] : [known.domain, shown.domain]);
      return false;
    },
    add(others = []) {
      for (const { id, domains } of others) note(id, domains);
    },
    has: (id) => disputed.has(id),
    all: () => [...disputed].map(([id, names]) => ({ id, domains: [...names] })),
  };
}

/** The one of `disputed` that concerns a domain, if one does. */
export function disputeOver(
  disputed: readonly Disputed[] | undefined,
  domain: string,
  www?: WwwRule | 'undecided',
): Disputed | undefined {
  return disputed?.find(({ domains }) => domains.some((name) => isNamed({ domain: name }, domain, www)));
}

/** What the service shows: the end of a clause. */
export function disputeText(disputed: readonly Disputed[]): string {
  return some(disputed.map(({ id, domains }) => `#${id} for ${domains.join(' and ')}`));
}

/** A change, as far as it names its record. */
interface Meant {
  readonly action: 'update' | 'delete';
  readonly domain: string;
  readonly id: string;
}

/** Nothing is sent of a change whose id was shown for another website. */
export function strangerRefused({ action, domain, id }: Meant, shown: string): ServiceError {
  return new ServiceError(
    'id-mismatch',
    `Cannot ${action} ${domain}: the service shows #${id} as ${domainKey(shown)}.`,
    {
      outcome: 'refused',
      blame: 'record',
      attempts: 0,
      remedy: `Plan again. If it happens again, the service, or a cache in front of it, mixes up IDs.`,
    },
  );
}

/** A change was sent, and what came of it shows another website. */
export function strangerWritten({ action, domain, id }: Meant, shown: string): ServiceError {
  const other = domainKey(shown);
  return new ServiceError(
    'id-mismatch',
    `Cannot tell what the ${action} of ${domain} changed: the service then showed #${id} as ${other}.`,
    {
      outcome: 'ended',
      blame: 'record',
      attempts: 1,
      remedy: `Check ${other} on the service, then plan again.`,
    },
  );
}
