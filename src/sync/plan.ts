import { readFor } from '../client/look-up.ts';
import type { Config } from '../config/load.ts';
import { type Change, type FieldChanges, isSecretChange, sendsSecret } from '../model/change.ts';
import { WebsitesError } from '../model/errors.ts';
import type { Plan, PlanContext, PlanOptions } from '../model/plan.ts';
import type { ResolveSecret } from '../model/secret.ts';
import type { EarlierFiles } from '../model/website.ts';
import { plan, questionOf, sealPlan } from '../planner/plan.ts';
import { holdsKey } from '../util/key-filter.ts';
import { sha256 } from '../util/node/sha256.ts';
import { type Connection, type ConnectSettings, withConnection } from './connect.ts';
import { MAX_AGE_MS } from './defaults.ts';
import type { Fingerprint } from './keys.ts';
import { filesOf } from './plan-files.ts';
import type { PlanSource } from './session.ts';
import type { RemovalsOf } from './since.ts';

export interface Planning {
  readonly config: Config;
  readonly rules: PlanOptions;
  readonly earlier?: EarlierFiles | undefined;
  readonly removals?: RemovalsOf | undefined;
  readonly maxAgeMs?: number | undefined;
  /** For plans that are never applied: reads every record, and reports a duplicate ID instead of throwing. */
  readonly readOnly?: boolean | undefined;
}

export function freshPlan(planning: Planning): PlanSource {
  return async (connection, waitForEarlierRuns) => {
    await waitForEarlierRuns();
    return { plan: await makePlan(planning, connection), resolveSecret: planning.config.resolveSecret };
  };
}

/** Connects and plans without the run lock, so the plan cannot be applied. Throws like both steps. */
export function planAt(settings: ConnectSettings, planning: Planning): Promise<Plan> {
  return withConnection(settings, (connection) => makePlan(planning, connection));
}

/** Throws `usage` for an invalid selection, `plan-impossible`, and errors of the service. */
export async function makePlan(planning: Planning, connection: Connection): Promise<Plan> {
  const { config, rules, earlier, readOnly } = planning;
  const { service, limiter, fingerprint, factText } = connection;
  const before = limiter().requests;
  const removals = rules.prune === 'removed' ? await planning.removals?.(connection) : undefined;
  const { desired, unmatched, resolveSecret } = config;
  const known = { desired, rules, context: { earlier, removals, factText } };
  const read = await readFor(service, questionOf(known, readOnly), { www: rules.www, readOnly });
  const current = { ...read, requests: limiter().requests - before };
  const context = { ...contextOf(connection, config, planning.maxAgeMs), ...known.context, unmatched };
  const input = { desired, current, rules, context };
  const content = plan(input);
  if (readOnly) return sealPlan(content, input);
  const changes: Change[] = [];
  for (const change of content.changes)
    changes.push(await withFingerprint(change, resolveSecret, fingerprint));
  return sealPlan({ ...content, changes }, input);
}

/** Adds a fingerprint to each secret that is available. A saved plan compares it to notice a changed secret. */
export async function withFingerprint(
  change: Change,
  resolveSecret: ResolveSecret,
  fingerprint: Fingerprint,
): Promise<Change> {
  const stamped = async (fields: FieldChanges): Promise<FieldChanges> => {
    const entries = Object.entries(fields).map(async ([name, field]) => {
      const ref = isSecretChange(field) ? field.ref : null;
      const secret = ref && (await resolveSecret(ref).catch(() => undefined));
      return [name, secret ? { ...field, fingerprint: fingerprint(change.domain, secret) } : field];
    });
    return Object.fromEntries(await Promise.all(entries));
  };
  if (change.action === 'delete' || !sendsSecret(change)) return change;
  const fields = await stamped(change.fields);
  if (change.action === 'create') return { ...change, fields };
  return { ...change, fields, alongside: await stamped(change.alongside) };
}

export function contextOf(connection: Connection, config: Config, maxAgeMs = MAX_AGE_MS): PlanContext {
  const { identity, limiter, clock, madeBy, seals, factText } = connection;
  return {
    config: filesOf(config),
    requestsPerSecond: limiter().requestsPerSecond,
    service: identity,
    unmatched: [],
    now: clock.now(),
    digest: digestWithoutKeys,
    ...{ madeBy, seals, maxAgeMs, factText },
  };
}

/** SHA-256. Throws `plan-impossible` if a text contains the API key, which cannot be filtered out later. */
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
  const what = domain === undefined ? 'a value' : `a value of ${domain}`;
  return new WebsitesError('plan-impossible', `Cannot plan: ${what} contains the API key.`, {
    remedy:
      'Remove the API key from the configuration and from the records. Then replace it, because it was exposed.',
  });
}
