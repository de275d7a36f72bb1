import { dirname } from 'node:path';
import { readFor } from '../client/look-up.ts';
import { wayTo } from '../config/files/files.ts';
import type { Config } from '../config/load.ts';
import { WebsitesError } from '../model/errors.ts';
import type { Plan, PlanContext, PlanOptions } from '../model/plan.ts';
import type { Current, EarlierFiles } from '../model/website.ts';
import { ifSet } from '../planner/match.ts';
import { lossesOf, plan, sealPlan } from '../planner/plan.ts';
import { withFingerprints } from '../planner/plan-file/fingerprints.ts';
import { questionOf } from '../planner/selection.ts';
import { holdsKey } from '../util/key-filter.ts';
import { sha256 } from '../util/node/sha256.ts';
import { type Connection, serviceOf } from './connect.ts';
import { MAX_AGE_MS } from './defaults.ts';
import type { RemovalsOf } from './removals.ts';

export interface PlanExtras {
  readonly earlier?: EarlierFiles | undefined;
  readonly removals?: RemovalsOf | undefined;
  readonly maxAgeMs?: number | undefined;
  /** The plan will not be applied: every record is read, and a duplicate ID is not an error. */
  readonly looksOnly?: boolean | undefined;
}

/** Throws `usage` for an invalid selection, `plan-impossible`, and what the service throws. */
export async function planOnce(
  config: Config,
  connection: Connection,
  rules: PlanOptions,
  { earlier, removals, maxAgeMs, looksOnly }: PlanExtras = {},
): Promise<Plan> {
  const { service, parallelism, onRead } = connection;
  const before = connection.limiter().requests;
  const files = filesOf(config);
  const known = { earlier, removals: rules.prune === 'removed' ? await removals?.(connection) : undefined };
  const asked = { desired: config.desired, rules, context: known };
  const question = {
    ...questionOf(asked, looksOnly),
    whole: (found: Current) => lossesOf({ ...asked, current: found }),
  };
  const read = await readFor(service, question, { parallelism, onRead, ...ifSet(rules), looksOnly });
  const current = { ...read, requests: connection.limiter().requests - before };
  const { unmatched } = config;
  const context = { ...contextOf(connection, maxAgeMs), config: files, ...known, unmatched };
  const input = { desired: config.desired, current, rules, context };
  const content = plan(input);
  if (looksOnly) return sealPlan(content, input);
  const changes = await withFingerprints(content.changes, async (domain, ref) => {
    const secret = await config.secrets.resolve(ref).catch(() => undefined);
    return secret && connection.fingerprint(domain, secret);
  });
  return sealPlan({ ...content, changes }, input);
}

export function contextOf(connection: Connection, maxAgeMs = MAX_AGE_MS): Omit<PlanContext, 'config'> {
  return {
    requestsPerSecond: connection.limiter().requestsPerSecond,
    service: serviceOf(connection),
    madeBy: connection.madeBy,
    unmatched: [],
    now: connection.clock.now(),
    maxAgeMs,
    digest: digestWithoutKeys,
    seals: connection.seals,
  };
}

export function filesOf({ files, digest, open, cwd, folder }: Config): PlanContext['config'] {
  const way = wayTo(folder, cwd);
  const [first] = files;
  const isThere = first !== undefined && dirname(first.path) === way;
  return {
    files,
    digest,
    ...(open.length === 0 ? {} : { open }),
    ...(isThere ? {} : { folder: way }),
    ...(way.startsWith('..') ? { made_in: wayTo(cwd, folder) } : {}),
  };
}

/** SHA-256. Content with a digest is never altered later: throws `plan-impossible` if a text contains the API key. */
const digestWithoutKeys: PlanContext['digest'] = (content) =>
  sha256(withoutKeyIn(typeof content === 'string' ? [content] : content));

function* withoutKeyIn(texts: Iterable<string>): Generator<string> {
  for (const text of texts) {
    if (holdsKey(text)) throw keyIn(text);
    yield text;
  }
}

function keyIn(text: string): WebsitesError {
  const [, domain] = /"domain":"([^"\\]*)"/.exec(text.split(/(?<=\}),(?=\{)/).find(holdsKey) ?? '') ?? [];
  const what = domain === undefined ? 'The plan' : `A value of ${domain}`;
  return new WebsitesError('plan-impossible', `${what} would contain the API key.`, {
    remedy:
      'Remove the key from the configuration and from the records. Then replace it, because it was exposed.',
  });
}
