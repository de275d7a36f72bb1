/** The way of the data, put together: desired from the files, current from the service, the plan from both. */
import { dirname } from 'node:path';
import { lookUpOrList } from '../client/look-up.ts';
import { type ReadOptions, readCurrent, readWhole, type Wanted } from '../client/read-current.ts';
import { wayTo } from '../config/files/files.ts';
import type { Config } from '../config/load.ts';
import { WebsitesError } from '../model/errors.ts';
import { FIELD_NAMES, type Settings } from '../model/field-table.ts';
import { isEmpty } from '../model/field-types.ts';
import type { Plan, PlanContext, PlanOptions } from '../model/plan.ts';
import type { Current, Desired, EarlierFiles } from '../model/website.ts';
import { domainsAbout } from '../planner/about.ts';
import { ifSet, isLookUpEnough } from '../planner/match.ts';
import { lossesOf, plan, sealPlan } from '../planner/plan.ts';
import { checkSelection, selected } from '../planner/selection.ts';
import { holdsKey } from '../util/key-filter.ts';
import { memoize } from '../util/memoize.ts';
import { sha256 } from '../util/node/sha256.ts';
import { type Connection, serviceOf } from './connect.ts';
import { MAX_AGE_MS } from './defaults.ts';
import { withFingerprints } from './fingerprints.ts';
import type { RemovalsOf } from './removals.ts';

/** What plans of this connection are bound to, now. */
export function contextOf(
  connection: Connection,
  config: PlanContext['config'],
  maxAgeMs = MAX_AGE_MS,
): PlanContext {
  return {
    requestsPerSecond: connection.limiter().requestsPerSecond,
    service: serviceOf(connection),
    madeBy: connection.madeBy,
    config,
    unmatched: [],
    now: connection.clock.now(),
    maxAgeMs,
    digest: digestWithoutKeys,
    seals: connection.seals,
  };
}

/** SHA-256. What bears it is never altered later: throws `plan-impossible` where a text holds the API key. */
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

/** What plans that are made with these files, be it to take a run back, are bound to of them. */
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

export interface PlanExtras {
  readonly earlier?: EarlierFiles | undefined;
  /** Asked with `prune: removed`. */
  readonly removals?: RemovalsOf | undefined;
  /** How long the plan may be applied. */
  readonly maxAgeMs?: number | undefined;
  /** It may be saved, or written into a journal: by fingerprints it is known later whether secrets are the same. */
  readonly toSave?: true;
  /** It will not be applied. Every record is read, and an id that is shown for two domains ends nothing. */
  readonly looksOnly?: boolean | undefined;
}

/**
 * The current records that a plan goes by: all of them, or those that it is about
 * (decision: "Reads grow with the change").
 */
function readFor(
  desired: Desired,
  options: PlanOptions,
  connection: Connection,
  { earlier, looksOnly }: Pick<PlanExtras, 'earlier' | 'looksOnly'>,
): Promise<Current> {
  const about = looksOnly ? undefined : domainsAbout(desired, options, earlier);
  const reading = { ...readingOf(options, connection), looksOnly };
  if (about === undefined) return readCurrent(connection.service, wantedOf(desired, options), reading);
  const { service } = connection;
  return lookUpOrList(
    service,
    about,
    () => wantedOf(desired, options),
    reading,
    (found) => isLookUpEnough(about, found, desired, options, earlier),
  );
}

/**
 * Reads the service and plans. Throws `usage` for a selection that is none, and what the service, or a record that
 * cannot be planned, calls for.
 */
export async function planOnce(
  config: Config,
  connection: Connection,
  rules: PlanOptions,
  { earlier, removals, maxAgeMs, toSave, looksOnly }: PlanExtras = {},
): Promise<Plan> {
  checkSelection(rules, [config.desired, earlier]);
  const before = connection.limiter().requests;
  const listed = await readFor(config.desired, rules, connection, { earlier, looksOnly });
  const context = {
    ...contextOf(connection, filesOf(config), maxAgeMs),
    unmatched: config.unmatched,
    earlier,
    removals: rules.prune === 'removed' ? await removals?.(connection) : undefined,
  };
  const losses = lossesOf({ desired: config.desired, current: listed, rules, context });
  const whole = await withHidden(losses, listed, rules, connection);
  const current = { ...whole, requests: connection.limiter().requests - before };
  const input = { desired: config.desired, current, rules, context };
  const content = plan(input);
  if (!toSave) return sealPlan(content, input);
  const changes = await withFingerprints(content.changes, config.secrets, connection.fingerprint);
  return sealPlan({ ...content, changes }, input);
}

/** `current` with what lists hide of the records of `domains`. Throws what the service throws. */
export async function withHidden(
  domains: readonly string[],
  current: Current,
  options: PlanOptions,
  connection: Connection,
): Promise<Current> {
  if (domains.length === 0) return current;
  return readWhole(connection.service, current, domains, readingOf(options, connection));
}

/** What there is now, as far as the selected records of `desired` need it known. */
export function currentOf(desired: Desired, options: PlanOptions, connection: Connection): Promise<Current> {
  return readCurrent(connection.service, wantedOf(desired, options), readingOf(options, connection));
}

function readingOf(options: PlanOptions, { parallelism, onRead }: Connection): ReadOptions {
  return { parallelism, onRead, ...ifSet(options) };
}

/** Each selected domain with the fields that it declares; made as they are asked for. */
function* wantedOf(desired: Desired, options: PlanOptions): Generator<Wanted> {
  /** Records share their settings. */
  const declared = memoize(declaredOf);
  for (const { domain, settings } of selected(desired.websites, (website) => website.domain, options, [
    desired,
  ])) {
    yield { domain, ...declared(settings) };
  }
}

function declaredOf(settings: Settings): Omit<Wanted, 'domain'> {
  const fields = FIELD_NAMES.filter((name) => settings[name] !== undefined);
  const filled = fields.filter((name) => !isEmpty(settings[name] ?? null));
  return { fields, filled };
}
