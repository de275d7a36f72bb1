/** One pass of the loop: files, plan, guards, apply and proof, told of as it goes. */
import { applyPlan } from '../apply/apply.ts';
import type { Lock } from '../apply/lock.ts';
import type { Config } from '../config/load.ts';
import { LOCK_FILE } from '../config/lock-file.ts';
import { matcher } from '../core/domain.ts';
import { EXIT, WebsitesError } from '../core/errors.ts';
import { guardError, refusals } from '../core/guards.ts';
import type { Plan, PlanOptions } from '../core/plan.ts';
import type { RequestFacts } from '../core/request.ts';
import type { PassReport, Tell } from '../reconcile/events.ts';
import { problemText } from '../reconcile/log.ts';
import { type Carried, carryOut, exitOf, type WorkOptions } from '../sync/apply.ts';
import { type Connection, type ConnectSettings, withConnection } from '../sync/connect.ts';
import { settleEarlierRuns } from '../sync/earlier-runs.ts';
import { withLock } from '../sync/locked.ts';
import { type PlanExtras, planOnce } from '../sync/plan.ts';
import { workOfFiles } from '../sync/work.ts';
import { lookedAt } from './looked-at.ts';

export interface PassSettings {
  /** Brings the checkout of the files up to date and returns its commit, where there is one. */
  readonly pull?: (signal: AbortSignal) => Promise<string>;
  readonly load: () => Promise<Config>;
  readonly options: (config: Config) => PlanOptions;
  readonly connect: (config: Config) => ConnectSettings;
  /** Only looks, and takes no lock. */
  readonly dryRun: boolean;
  /** How the plan is carried out. */
  readonly apply: Omit<WorkOptions, 'emit' | 'signal'>;
  readonly tell: Tell;
}

/** Makes one pass. Throws what any part of it throws. */
export async function makePass(settings: PassSettings, signal: AbortSignal): Promise<PassReport> {
  const { pull, load, dryRun, tell } = settings;
  if (pull !== undefined) tell({ type: 'pulled', commit: await pull(signal) });
  const config = await load();
  for (const warning of config.warnings) tell({ type: 'note', level: 'warn', text: problemText(warning) });
  const options = settings.options(config);
  const onRequest = ({ method, status }: RequestFacts): void => tell({ type: 'request', method, status });
  // Reading page by page waits for nothing that an interrupt would end.
  const onRead = (): void => {
    if (signal.aborted) throw new WebsitesError('interrupted', 'It was interrupted while it read.');
  };
  const service = { ...settings.connect(config), tell: noting(tell), onRequest, onRead };
  const attach = (connection: Connection): void => {
    tell({ type: 'connected', limiter: connection.limiter });
    if (signal.aborted) connection.interrupt();
    signal.addEventListener('abort', () => connection.interrupt(), { once: true });
  };
  if (!dryRun) {
    return withLock(service, options.shard, (connection, lock) => {
      attach(connection);
      return planAndApply({ config, options, connection, lock }, settings, signal);
    });
  }
  return withConnection(service, async (connection) => {
    attach(connection);
    return reportOf(await plan(config, connection, options, tell));
  });
}

/** Takes lines for a person. */
function noting(tell: Tell): (text: string) => void {
  return (text) => tell({ type: 'note', level: 'warn', text: text.trim().replace(/^Warning: /, '') });
}

function reportOf(plan: Plan): PassReport {
  const outcome = lookedAt(plan);
  const found = plan.summary;
  return outcome === 'refused' ? { outcome, found, error: guardError(plan.guards) } : { outcome, found };
}

/** What a pass works with once nobody else may write. */
interface Locked {
  readonly config: Config;
  readonly options: PlanOptions;
  readonly connection: Connection;
  readonly lock: Lock;
}

async function planAndApply(
  { config, options, connection, lock }: Locked,
  settings: PassSettings,
  signal: AbortSignal,
): Promise<PassReport> {
  const { tell } = settings;
  const isIgnored = matcher(config.desired.ignore);
  await settleEarlierRuns(config.root, connection, noting(tell), { shard: options.shard, signal, isIgnored });
  const made = await plan(config, connection, options, tell, { toSave: true });
  const found = made.summary;
  const error = guardError(made.guards);
  if (error !== undefined) return { outcome: 'refused', found, error };
  if (signal.aborted) throw new WebsitesError('interrupted', 'It was interrupted before the first change.');
  if (made.changes.length === 0) return { outcome: 'converged', found };
  const work = workOfFiles(made, config, options, connection, lock);
  const carried = await carryOut(work, { ...settings.apply, emit: tell, signal }, (apply) =>
    applyPlan(made, apply),
  );
  if (carried.lockChanged) tell({ type: 'note', level: 'info', text: `${LOCK_FILE} has changed.` });
  return { ...outcomeOf(carried), found, result: carried.result };
}

function outcomeOf(carried: Carried): Pick<PassReport, 'outcome' | 'error'> {
  const { result, keyRefused, lockFailure } = carried;
  if (result.interrupted) return { outcome: 'interrupted' };
  if (keyRefused) {
    const reason = result.stopped?.replace(/\.$/, '') ?? 'the service refused the key';
    return { outcome: 'failed', error: new WebsitesError('key-refused', `The run ended: ${reason}.`) };
  }
  if (lockFailure !== undefined) return { outcome: 'failed', error: lockFailure };
  return { outcome: exitOf(carried) === EXIT.done ? 'converged' : 'incomplete' };
}

/** Plans, and tells of what it found and of what a reader should know. */
async function plan(
  config: Config,
  connection: Connection,
  options: PlanOptions,
  tell: Tell,
  extras: PlanExtras = {},
): Promise<Plan> {
  const made = await planOnce(config, connection, options, extras);
  tell({ type: 'planned', found: made.summary });
  for (const text of made.warnings) tell({ type: 'note', level: 'warn', text });
  for (const { message, remedy } of refusals(made.guards)) {
    tell({ type: 'note', level: 'warn', text: `Guard: ${message} ${remedy}` });
  }
  return made;
}
