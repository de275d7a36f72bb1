/**
 * Asks websites whether they exist. What one of them does costs it its own verdict and nothing else: time, redirects, body
 * and connections are bounded, and no name leads to an address that was not checked (decision: "A probe reaches public
 * addresses only").
 */
import { isIP } from 'node:net';
import { bareHost } from '../../client/http/proxy.ts';
import type { Finding } from '../../model/probe-report.ts';
import { judgeRedirect, type Redirect } from '../redirect.ts';
import { judge, type Outcome } from '../verdict.ts';
import { createHops, type Hop, type HopOptions } from './hop.ts';
import { createSite } from './site.ts';
import { createTurns } from './turns.ts';

export interface ProbeOptions extends HopOptions {
  /** Look-ups and requests at a time. */
  readonly concurrency: number;
  /** For one website, without the time that it waits for others; in milliseconds. */
  readonly timeoutMs: number;
}

type OnFound = (domain: string, finding: Finding) => void;

/** A function that probes domains; it calls `onFound` for each, as soon as it is found. */
export function createProbe(
  options: ProbeOptions,
): (domains: Iterable<string>, onFound: OnFound) => Promise<void> {
  const turns = createTurns(options.concurrency);
  const hops = createHops(options);

  async function probe(domain: string): Promise<Finding> {
    const site = createSite(options.timeoutMs, turns);
    let hop = await hops.first(new URL(`https://${domain}/`), site, Promise.resolve());
    for (let followed = 0; hop.location !== undefined; followed += 1) {
      const redirect = judgeRedirect(hop.url, hop.location, followed);
      if (redirect.kind === 'follow') hop = await hops.next(redirect.to, site);
      else return findingOf(hop, endOf(redirect), redirect.kind === 'elsewhere' ? redirect.to.href : null);
    }
    return findingOf(hop, hop.outcome as Outcome);
  }

  /** That a redirect is not followed. One to an address that is closed is told as such. */
  function endOf(redirect: Exclude<Redirect, { kind: 'follow' }>): Outcome {
    if (redirect.kind === 'impossible') return { kind: 'impossible-redirect', reason: redirect.reason };
    const host = bareHost(redirect.to);
    const isClosed = isIP(host) !== 0 && !options.mayConnect(host);
    return isClosed ? { kind: 'closed-address', address: host } : { kind: 'elsewhere', to: host };
  }

  return async (domains, onFound) => {
    const underWay = new Set<Promise<void>>();
    let failure: { readonly error: unknown } | undefined;
    for (const domain of domains) {
      // Websites in progress go first. Otherwise all names would be looked up before the first website is requested.
      await turns.take(true);
      if (failure !== undefined) break;
      const one: Promise<void> = probe(domain)
        .then((finding) => onFound(domain, finding))
        .catch((error) => {
          failure ??= { error };
        })
        .finally(() => underWay.delete(one));
      underWay.add(one);
    }
    await Promise.all(underWay);
    if (failure !== undefined) throw failure.error;
  };
}

function findingOf({ url, address, status }: Hop, outcome: Outcome, location: string | null = null): Finding {
  return { ...judge(outcome), url: url.href, address: address ?? null, status: status ?? null, location };
}
