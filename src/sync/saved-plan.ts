import { resolve } from 'node:path';
import { unlessUnfit } from '../config/files/disk.ts';
import { isStream } from '../config/files/files.ts';
import { type Config, loadConfig } from '../config/load.ts';
import { namedService, pinnedAddress, rootIn } from '../config/read/targets.ts';
import { createSecretResolver, type SecretResolver, type SecretSources } from '../config/secrets/resolve.ts';
import { addressOf } from '../model/base-url.ts';
import { matcher } from '../model/domain.ts';
import { WebsitesError } from '../model/errors.ts';
import type { Approvals } from '../model/guard.ts';
import type { Plan } from '../model/plan.ts';
import { notSealed } from '../model/seal.ts';
import { formatSecretRef } from '../model/secret.ts';
import { reapprove, refuseByGuards } from '../planner/guards.ts';
import { secretsOf } from '../planner/plan-file/fingerprints.ts';
import { parsePlan } from '../planner/plan-file/parse.ts';
import { bearsItsSeal } from '../planner/plan-file/write.ts';
import { leavesAlone } from '../planner/selection.ts';
import { readRun, runsAt } from '../run/file/read.ts';
import { readNamed, readRegularFile, UnfitFile, whyUnread } from '../util/node/read-file.ts';
import { sha256 } from '../util/node/sha256.ts';
import { systemClock } from '../util/node/system-clock.ts';
import type { Connection, Host } from './connect.ts';
import { baseOf, filesIn, folderOf, heldToHere, type Near } from './plan-folder.ts';
import type { Maker, SessionConfig, Sourced } from './session.ts';
import { runsFolder } from './state.ts';

const SMALLER = ' If it is too large, plan a part: --group NAME or --domain PATTERN.';

export async function readPlan(file: string, { cwd }: Pick<Host, 'cwd'>): Promise<Plan> {
  const bytes = await readNamed(resolve(cwd, file)).catch((cause: NodeJS.ErrnoException) => {
    throw new WebsitesError('file-failed', `The plan ${file} cannot be read: ${whyUnread(cause)}.`, {
      remedy: `Pass a file that "websites plan --out" wrote.${cause instanceof UnfitFile ? SMALLER : ''}`,
      cause,
    });
  });
  return parsePlan(bytes.toString(), file, sha256);
}

/** The files of the plan in `file`, if all exist. Throws what loading throws, and `plan-stale` for a changed file. */
export async function surroundingsOf(
  plan: Pick<Plan, 'config' | 'service' | 'changes'>,
  file: string,
  allowPaths: readonly string[],
  host: Host,
): Promise<SessionConfig> {
  const { cwd, env, stdin } = host;
  const { files, isHere, base } = await checkFiles(plan, { cwd, planFile: resolve(cwd, file) });
  const { target } = plan.service;
  const sources = {
    env,
    folder: resolve(base, folderOf(plan.config)),
    allowPaths: allowPaths.map((path) => resolve(cwd, path)),
  };
  const load = async (): Promise<SessionConfig> => {
    const patterns = files.filter(({ bulk }) => !bulk).map(({ path }) => path);
    const config = await loadConfig({ ...sources, patterns, cwd: base, stdin, target });
    refuseWanted(plan, config);
    return config;
  };
  const around = isHere ? await load() : withoutFiles(target, sources);
  return {
    root: around.root,
    pins: { base_url: addressOf(plan), ...around.pins },
    secrets: await heldToHere(around.secrets, sources, cwd),
  };
}

function withoutFiles(target: string | undefined, sources: SecretSources): SessionConfig {
  const { env, folder } = sources;
  const secrets = createSecretResolver(sources);
  const root = rootIn(folder, target);
  if (target === undefined) return { root, pins: {}, secrets };
  const address = pinnedAddress(target, env);
  const pins = {
    ...(address === undefined ? {} : { base_url: address }),
    target: namedService(target, undefined, env, secrets),
  };
  return { root, pins, secrets };
}

/** Throws `plan-stale` if a file has changed or was added: what it lists or protects may be what the plan deletes. */
async function checkFiles(
  { config }: Pick<Plan, 'config'>,
  near: Near,
): Promise<{ files: Plan['config']['files']; isHere: boolean; base: string }> {
  const base = await baseOf(config, near);
  const files = config.files.filter(({ path }) => !isStream(path));
  const digests = await Promise.all(files.map(({ path }) => digestOf(resolve(base, path))));
  // The working directory counts too: a parent may have an unchanged copy of files that changed here.
  const here = 'planFile' in near ? near.cwd : base;
  for (const [index, { path, digest }] of files.entries()) {
    const inHere = path.startsWith('..') ? undefined : await digestOf(resolve(here, path));
    if ([digests[index], inHere].every((one) => one === undefined || one === digest)) continue;
    throw stale(`${path} has changed since the plan was made.`);
  }
  const known = new Set(config.files.map(({ path }) => path));
  const isAnyHere = digests.some((digest) => digest !== undefined);
  const added = isAnyHere ? (await filesIn(config, base)).find((path) => !known.has(path)) : undefined;
  if (added !== undefined) throw stale(`${added} is new since the plan was made.`);
  return { files, isHere: files.length > 0 && !digests.includes(undefined), base };
}

async function digestOf(path: string): Promise<string | undefined> {
  const bytes = await readRegularFile(path).catch(unlessUnfit(path));
  return bytes && sha256(bytes);
}

export async function checkMadeFrom(
  plan: Pick<Plan, 'config' | 'changes'>,
  config: Pick<Config, 'digest' | 'desired' | 'cwd' | 'folder'>,
): Promise<void> {
  await checkFiles(plan, config);
  if (plan.config.digest !== config.digest) throw stale('The plan was made from different files.');
  refuseWanted(plan, config);
}

/** Throws `plan-stale` if files now declare or ignore a deleted record: a variable may have changed. */
function refuseWanted({ changes }: Pick<Plan, 'changes'>, { desired }: Pick<Config, 'desired'>): void {
  const deleted = changes.flatMap((change) =>
    change.action === 'delete' && change.cause !== 'undo' ? change.domain : [],
  );
  if (deleted.length === 0) return;
  const listed = desired.websites.filter(({ state }) => state === 'present').map(({ domain }) => domain);
  const isWanted = matcher([...listed, ...desired.protected]);
  const isLeftAlone = leavesAlone(desired);
  const wanted = deleted.find((domain) => isWanted(domain) || isLeftAlone(domain));
  if (wanted === undefined) return;
  throw stale(`The plan deletes ${wanted}, but the configuration now declares, ignores, or protects it.`);
}

/**
 * Checks the binding of a saved plan (decision: "A saved plan is applied as approved"). It is applied to its end once:
 * the rest of an interrupted run is applied if no other run followed. Throws `plan-stale`, `seal-invalid` and
 * `guard-refused`.
 */
export function savedPlan(
  plan: Plan,
  { root, secrets }: Pick<SessionConfig, 'root' | 'secrets'>,
  allow: Approvals = { empty: false },
): Maker<Sourced & { readonly begun: ReadonlySet<number> }> {
  return async (connection, settle) => {
    await checkBinding(plan, connection, secrets);
    refuseByGuards(reapprove(plan.guards, plan.changes, allow));
    const begun = await begunOf(plan, runsFolder(root), connection);
    if (plan.changes.length > 0) await settle();
    return { plan, begun };
  };
}

/** Throws `plan-stale`, and `seal-invalid` for a forged seal of this key before any secret is read. */
async function checkBinding(plan: Plan, connection: Connection, secrets: SecretResolver): Promise<void> {
  if (systemClock.now() > Date.parse(plan.expires_at)) throw stale(`The plan expired at ${plan.expires_at}.`);
  const { base_url, key_fingerprint } = plan.service;
  if (base_url !== connection.identity) {
    throw stale(`The plan was made for ${base_url}, and the service here is ${connection.identity}.`);
  }
  if (key_fingerprint !== connection.keyFingerprint) throw stale('The plan was made with another API key.');
  if (!bearsItsSeal(plan, connection.seals)) {
    throw notSealed('The plan', 'Plan again with --out: only that writes a plan that can be applied.');
  }
  for (const { domain, ref, fingerprint } of secretsOf(plan.changes)) {
    if (ref === null || fingerprint === undefined) continue;
    // A missing secret may have been sent already; otherwise sending it fails later.
    const secret = await secrets.resolve(ref).catch(() => undefined);
    if (secret === undefined || connection.fingerprint(domain, secret) === fingerprint) continue;
    throw stale(
      `The secret ${formatSecretRef(ref)} of ${domain} is not the one that the plan was made with.`,
    );
  }
}

/** Changes that earlier runs of a plan may have sent, by index. Throws `plan-stale` if none is left. */
async function begunOf(plan: Plan, folder: string, { seals }: Connection): Promise<ReadonlySet<number>> {
  const runs = await runsAt(folder, plan.service, seals);
  const own = runs.filter((past) => past.plan === plan.digest);
  const last = own.at(-1);
  if (last === undefined) return new Set();
  const isOpen = last.sealed && !last.finished && last === runs.at(-1);
  if (!isOpen) throw stale(`The plan was applied already, by run ${last.run}.`);
  const sealed = own.filter((past) => past.sealed);
  const recorded = await Promise.all(sealed.map(({ run }) => readRun(folder, run, { seals })));
  return new Set(recorded.flatMap(({ settled, begun }) => [...settled.keys(), ...begun.keys()]));
}

function stale(message: string): WebsitesError {
  return new WebsitesError('plan-stale', message, { remedy: 'Nothing was changed. Plan again.' });
}
