/** Plans for tests, made by the planner from short descriptions of desired and current records. */

import type { Plan, PlanContext, PlanOptions } from '../../src/model/plan.ts';
import type { Current, Desired, DesiredWebsite, EarlierFiles, Website } from '../../src/model/website.ts';
import { plan, sealPlan } from '../../src/planner/plan.ts';
import { factText } from '../../src/report/facts.ts';
import { sha256 } from '../../src/util/node/sha256.ts';

export interface Situation {
  readonly desired?: Partial<Desired>;
  readonly current?: Partial<Current>;
  readonly options?: Partial<PlanOptions>;
  readonly unmatched?: readonly string[];
  readonly requestsPerSecond?: number;
  /** The files at an earlier revision. */
  readonly earlier?: EarlierFiles;
}

const NOW = Date.UTC(2026, 10, 20, 9, 30);

export const CONTEXT: PlanContext = {
  service: { base_url: 'https://analytics.example.com', key_fingerprint: 'c0ffee' },
  config: { files: [{ path: 'websites.yaml', digest: 'cafe' }], digest: 'feed' },
  unmatched: [],
  now: NOW,
  maxAgeMs: 24 * 3_600_000,
  digest: sha256,
  factText,
};

export const NO_RECORDS: Current = {
  websites: [],
  complete: true,
  knownAbsent: new Set(),
  hidden: [],
  presenceOnly: [],
  readAt: NOW,
};

/** The options without any flag. */
export const NO_FLAGS: PlanOptions = {
  prune: false,
  update: 'auto',
  domain: [],
  exclude: [],
  resend_passwords: false,
  allow: { empty: false },
};

/** A record of `websites.yaml`, at `line` of it. */
export function wanted(
  domain: string,
  settings: DesiredWebsite['settings'] = {},
  line = 1,
  more: Partial<DesiredWebsite> = {},
): DesiredWebsite {
  return {
    domain,
    settings,
    state: 'present',
    protect: false,
    source: { file: 'websites.yaml', line, column: 5 },
    ...more,
  };
}

/** A record with `state: absent`. */
export function absent(domain: string, more: Partial<DesiredWebsite> = {}): DesiredWebsite {
  return wanted(domain, {}, 1, { state: 'absent', ...more });
}

/** A record of the service. */
export function shown(
  domain: string,
  id: number,
  settings: Website['settings'] = {},
  more: Partial<Website> = {},
): Website {
  return { domain, id: String(id), settings, ...more };
}

/** The situation of these declared websites, and of these records of the service. */
export function given(
  websites: readonly DesiredWebsite[],
  records: readonly Website[] = [],
  options: Partial<PlanOptions> = {},
): Situation {
  return { desired: { websites }, current: { websites: records }, options };
}

/** The plan for a situation; by default the list is complete and nothing is pruned. */
export function planFor({
  desired,
  current,
  options,
  unmatched = [],
  requestsPerSecond,
  earlier,
}: Situation): Plan {
  const input = {
    desired: { websites: [], ignore: [], protected: [], ...desired },
    current: { ...NO_RECORDS, ...current },
    rules: { ...NO_FLAGS, ...options },
    context: {
      ...CONTEXT,
      unmatched,
      ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
      ...(earlier === undefined ? {} : { earlier }),
    },
  };
  return sealPlan(plan(input), input);
}

export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** A domain for each index, in the order of the indexes. */
export function domainOf(index: number, suffix = 'example.com'): string {
  return `site-${String(index).padStart(5, '0')}.${suffix}`;
}
