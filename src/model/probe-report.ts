/** What a probe finds of websites: whether they exist. */
import type { Place } from './errors.ts';
import type { Skipped } from './import-report.ts';

export const PROBE_FORMAT = 'websites.probe/1';

/** What a verdict means, in words for a summary; the order is the one in which they are counted. */
export const VERDICTS = {
  ok: 'answered',
  'no-code': 'answered without the text',
  redirects: 'redirects to another domain',
  error: 'answered with an error',
  'no-dns': 'no address in DNS',
  'no-answer': 'no answer',
  refused: 'connection refused',
  blocked: 'address not public',
} as const;

export type Verdict = keyof typeof VERDICTS;

export const VERDICT_NAMES = Object.keys(VERDICTS) as readonly Verdict[];

/** What was found of one domain. */
export interface Finding {
  readonly verdict: Verdict;
  /** The URL that was requested last. */
  readonly url: string;
  /** The IP address that answered, or was connected to; null where there was no connection. */
  readonly address: string | null;
  /** The HTTP status of the last response; null without one. */
  readonly status: number | null;
  /** Of `redirects`: where to. */
  readonly location: string | null;
  /** Why, in words; empty for `ok`. */
  readonly reason: string;
}

/** A domain with what was found, and where it is written. */
export interface Probed extends Finding {
  readonly domain: string;
  readonly source: Place;
}

export interface ProbeReport {
  /** In the order of the lists. */
  readonly results: readonly Probed[];
  /** Lines of the lists that are not probed. */
  readonly skipped: readonly Skipped[];
}

/** How many results have each verdict. */
export function countVerdicts(
  results: readonly Pick<Finding, 'verdict'>[],
): Readonly<Record<Verdict, number>> {
  const counts = Object.fromEntries(VERDICT_NAMES.map((verdict) => [verdict, 0])) as Record<Verdict, number>;
  for (const { verdict } of results) counts[verdict] += 1;
  return counts;
}

/** Whether so few domains have an address that the resolver is at fault, rather than they. */
export function isResolverAtFault(results: readonly Pick<Finding, 'verdict'>[]): boolean {
  return countVerdicts(results)['no-dns'] * 2 > results.length;
}
