/** Applies a plan from a file or from a program (decision: "A saved plan is applied as approved"). */
import { dirname, resolve } from 'node:path';
import { findNearest } from '../config/files/files.ts';
import { type Allowed, followed, isInside, readThere } from '../config/files/paths.ts';
import { type Config, type ConfigOptions, loadConfig } from '../config/load.ts';
import { namedService, pinnedAddress, rootIn } from '../config/read/targets.ts';
import { secretResolver } from '../config/secrets/secret.ts';
import { addressOf } from '../model/base-url.ts';
import { secretsOf } from '../model/change.ts';
import { matcher } from '../model/domain.ts';
import { fileFailed, WebsitesError } from '../model/errors.ts';
import { type Approvals, notSealed, type Plan } from '../model/plan.ts';
import { formatSecretRef, type ResolveSecret } from '../model/secret.ts';
import { reapprove, refuseByGuards } from '../planner/guards.ts';
import { parsePlan } from '../planner/plan-file/parse.ts';
import { bearsItsDigest } from '../planner/plan-file/write.ts';
import { readRun, runsAt, sentIndexes } from '../run/file/read.ts';
import { readNamed } from '../util/node/read-file.ts';
import { sha256 } from '../util/node/sha256.ts';
import type { Connection, Host } from './connect.ts';
import { type FoundNow, findNow, folderOf } from './plan-files.ts';
import type { PlanSource } from './session.ts';

const PLAN_FILE =
  'Pass a file that "websites plan --out" wrote. If it is too large, plan a part: --group NAME or --domain PATTERN.';

export async function readPlan(file: string, { cwd }: Pick<Host, 'cwd'>): Promise<Plan> {
  const failed = fileFailed(`The plan ${file} cannot be read`, PLAN_FILE);
  const bytes = await readNamed(resolve(cwd, file)).catch(failed);
  return parsePlan(bytes.toString(), file, sha256);
}

/**
 * Returns the service and the secrets of the plan in `file`. Loads the plan's files if all of them exist. Throws like
 * loading, and `plan-stale` for a changed file.
 */
export async function configOfPlan(
  plan: Plan,
  file: string,
  { cwd, env, stdin, allowPaths = [], stateFolder }: ConfigOptions,
): Promise<Pick<Config, 'root' | 'pins' | 'resolveSecret'>> {
  const now = await findNow(plan.config, [cwd, dirname(resolve(cwd, file))]);
  refuseChanged(now);
  const { base, files } = now;
  const { target } = plan.service;
  const folder = resolve(base, folderOf(plan.config));
  const allowed = { folder, allowPaths: allowPaths.map((path) => resolve(cwd, path)) };
  const sources = { env, ...allowed, secretsFolder: await secretsFolderOf(allowed, cwd) };
  const isWhole = files.length > 0 && files.every((one) => one.now !== undefined);
  const patterns = files.flatMap(({ path, bulk }) => (bulk ? [] : path));
  const config = isWhole ? await loadConfig({ ...sources, patterns, cwd: base, stdin, target }) : undefined;
  if (config !== undefined) refuseWanted(plan, config);
  const resolveSecret = config?.resolveSecret ?? secretResolver(sources);
  const pinned = target && pinnedAddress(target, env);
  return {
    root: rootIn(stateFolder === undefined ? folder : resolve(cwd, stateFolder), target),
    pins: {
      base_url: pinned ?? addressOf(plan.service),
      ...(target && { target: namedService(target, undefined, env, resolveSecret) }),
      ...config?.pins,
    },
    resolveSecret,
  };
}

/**
 * Returns the directory that files with secrets must be in. Only the plan itself names the directory of its files, and
 * a forged plan could name any. So outside of the working directory and the nearest configuration, it does not count.
 */
async function secretsFolderOf({ folder, allowPaths }: Allowed, cwd: string): Promise<string> {
  const nearest = await findNearest(cwd);
  const [real = folder, ...here] = followed([folder, cwd, ...allowPaths], readThere);
  const isNearest = nearest !== undefined && folder === dirname(resolve(cwd, nearest));
  return isNearest || isInside(real, here) ? folder : cwd;
}

/** Throws `plan-stale` if a file was changed or added: it may declare or protect a record that the plan deletes. */
function refuseChanged({ files, added }: FoundNow): void {
  const changed = files.find(({ digest, now = digest }) => now !== digest);
  if (changed !== undefined) throw stale(`${changed.path} has changed since the plan was made.`);
  if (added[0] !== undefined) throw stale(`${added[0]} is new since the plan was made.`);
}

/**
 * Returns the source for a plan that a program made from `config`. Throws `plan-invalid` if the plan was changed, and
 * `plan-stale`.
 */
export async function madePlan(plan: Plan, config: Config): Promise<PlanSource> {
  if (!bearsItsDigest(plan, sha256)) {
    const message = 'This is not a plan, or it was changed after it was made.';
    throw new WebsitesError('plan-invalid', message, { remedy: 'Plan again.' });
  }
  refuseChanged(await findNow(plan.config, [config.folder, config.cwd]));
  if (plan.config.digest !== config.digest) throw stale('The plan was made from different files.');
  refuseWanted(plan, config);
  return savedPlan(plan, config.resolveSecret);
}

/**
 * Throws `plan-stale` if the files now declare or ignore a record that the plan deletes, for example because an
 * environment variable has changed.
 */
function refuseWanted({ changes }: Plan, { desired }: Config): void {
  const deleted = changes.flatMap((change) =>
    change.action === 'delete' && change.cause !== 'undo' ? change.domain : [],
  );
  const listed = desired.websites.filter(({ state }) => state === 'present').map(({ domain }) => domain);
  const isWanted = matcher([...listed, ...desired.protected, ...desired.ignore]);
  const isInScope = matcher(desired.scope ?? ['*']);
  const wanted = deleted.find((domain) => isWanted(domain) || !isInScope(domain));
  if (wanted === undefined) return;
  throw stale(`The plan deletes ${wanted}, but the configuration now declares, ignores, or protects it.`);
}

/**
 * Checks that a saved plan belongs to this service, key and files. A plan is completed only once: the rest of an
 * interrupted run can be applied if no other run followed. Throws `plan-stale`, `seal-invalid` and `guard-refused`.
 */
export function savedPlan(
  plan: Plan,
  resolveSecret: ResolveSecret,
  allow: Approvals = { empty: false },
): PlanSource {
  return async (connection, waitForEarlierRuns) => {
    await checkBinding(plan, connection, resolveSecret);
    refuseByGuards(reapprove(plan.guards, plan.changes, allow));
    const sentBefore = await sentBeforeOf(plan, connection);
    if (plan.changes.length > 0) await waitForEarlierRuns();
    return { plan, resolveSecret, sentBefore };
  };
}

/** Throws `plan-stale`, and `seal-invalid` for a forged seal of this key. Does so before any secret is read. */
async function checkBinding(plan: Plan, connection: Connection, resolveSecret: ResolveSecret): Promise<void> {
  const { identity, clock, seals } = connection;
  const { base_url, key_fingerprint } = plan.service;
  if (clock.now() > Date.parse(plan.expires_at)) throw stale(`The plan expired at ${plan.expires_at}.`);
  if (base_url !== identity.base_url) {
    throw stale(`The plan was made for ${base_url}, and the service here is ${identity.base_url}.`);
  }
  if (key_fingerprint !== identity.key_fingerprint) throw stale('The plan was made with another API key.');
  if (!seals.fits('plan', plan.digest, plan.seal)) {
    throw notSealed('The plan', 'Plan again with "websites plan --out FILE".');
  }
  for (const { domain, ref, fingerprint } of secretsOf(plan.changes)) {
    if (ref === null || fingerprint === undefined) continue;
    // A missing secret is no error here: an earlier run may have sent it. Otherwise sending it fails later.
    const secret = await resolveSecret(ref).catch(() => undefined);
    if (secret === undefined || connection.fingerprint(domain, secret) === fingerprint) continue;
    throw stale(`The secret ${formatSecretRef(ref)} of ${domain} has changed since the plan was made.`);
  }
}

/** Returns indexes of changes that earlier runs of the plan may have sent. Throws `plan-stale` if none is left. */
async function sentBeforeOf(plan: Plan, connection: Connection): Promise<ReadonlySet<number>> {
  const runs = await runsAt(connection);
  const own = runs.filter((past) => past.plan === plan.digest);
  const last = own.at(-1);
  if (last === undefined) return new Set();
  const isOpen = last.sealed && !last.closed?.finished && last === runs.at(-1);
  if (!isOpen) throw stale(`The plan was applied already, by run ${last.run}.`);
  const sealed = own.filter((past) => past.sealed);
  const recorded = await Promise.all(
    sealed.map(({ run }) => readRun(connection.runsFolder, run, connection)),
  );
  return new Set(recorded.flatMap(sentIndexes));
}

function stale(message: string): WebsitesError {
  return new WebsitesError('plan-stale', message, { remedy: 'Nothing was changed. Plan again.' });
}
