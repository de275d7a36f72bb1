/** One pass of the loop: files, plan, guards, apply and verification, told of as it goes. */

import type { Applied } from '../apply/apply.ts';
import type { Config } from '../config/load.ts';
import { EXIT, WebsitesError } from '../model/errors.ts';
import type { Plan, PlanOptions } from '../model/plan.ts';
import { unknownRemovals } from '../model/removals.ts';
import { guardError, refusals } from '../planner/guards.ts';
import type { PassReport, Tell } from '../reconcile/events.ts';
import { problemText } from '../reconcile/log.ts';
import { type ApplySettings, apply, exitOf } from './apply.ts';
import { type ConnectSettings, withConnection } from './connect.ts';
import type { LoopCommits } from './loop-commits.ts';
import { planOnce } from './plan.ts';
import { openFresh, type Session } from './session.ts';

export interface PassSettings {
  /** Brings the checkout of the files up to date and returns its commit, where there is one. */
  readonly pull?: (signal: AbortSignal) => Promise<string>;
  readonly load: () => Promise<Config>;
  /** What is pruned by, where the checkout is known to be a commit, `head`. */
  readonly commits?: (config: Config, options: PlanOptions, head: string) => Promise<LoopCommits>;
  readonly options: (config: Config) => PlanOptions;
  readonly connect: (config: Config) => ConnectSettings;
  /** Only looks, and takes no lock. */
  readonly dryRun: boolean;
  /** How the plan is carried out. */
  readonly apply: Omit<ApplySettings, 'emit' | 'signal'>;
  readonly tell: Tell;
}

/** Makes one pass. Throws what any part of it throws. */
export async function makePass(settings: PassSettings, signal: AbortSignal): Promise<PassReport> {
  const { pull, load, dryRun, tell } = settings;
  const head = await pull?.(signal);
  if (head !== undefined) tell({ type: 'pulled', commit: head });
  const config = await load();
  for (const warning of config.warnings) tell({ type: 'note', level: 'warn', text: problemText(warning) });
  const options = settings.options(config);
  const commits = head === undefined ? undefined : await settings.commits?.(config, options, head);
  const extras = { removals: commits?.removals ?? notByCommits, readsAll: true } as const;
  const service = { ...watched(settings, config, signal), commit: head };
  if (dryRun) {
    const plan = await withConnection(service, (connection) => planOnce(config, connection, options, extras));
    tellPlan(plan, tell);
    return reportOf(plan);
  }
  const opening = { settings: service, tell: noting(tell), signal };
  const session = await openFresh(config, options, extras, opening);
  try {
    return await applyPlanned(session, settings, commits, signal);
  } finally {
    await session.close();
  }
}

const notByCommits = async () =>
  unknownRemovals('Nothing is pruned: `prune: removed` compares with an earlier commit, which needs --git.');

function watched({ connect, tell }: PassSettings, config: Config, signal: AbortSignal): ConnectSettings {
  return {
    ...connect(config),
    signal,
    tell: noting(tell),
    onLimiter: (limiter) => tell({ type: 'connected', limiter }),
    onRequest: ({ method, status }) => tell({ type: 'request', method, status }),
    // Reading page by page waits for nothing that an interrupt would end.
    onRead: () => {
      if (signal.aborted) throw new WebsitesError('interrupted', 'Interrupted while reading.');
    },
  };
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

/** What a plan comes to that is only looked at; where a guard refuses one without changes, there may be some. */
export function lookedAt({ changes, guards }: Plan): 'drift' | 'refused' | 'converged' {
  if (changes.length > 0) return 'drift';
  return refusals(guards).length > 0 ? 'refused' : 'converged';
}

async function applyPlanned(
  session: Session,
  settings: PassSettings,
  commits: LoopCommits | undefined,
  signal: AbortSignal,
): Promise<PassReport> {
  const { tell } = settings;
  const { plan, connection } = session;
  tellPlan(plan, tell);
  await commits?.begin(plan, connection);
  const found = plan.summary;
  const error = guardError(plan.guards);
  if (error !== undefined) return { outcome: 'refused', found, error };
  if (signal.aborted) throw new WebsitesError('interrupted', 'Interrupted before the first change.');
  if (plan.changes.length === 0) {
    await commits?.end(true, [], connection);
    return { outcome: 'converged', found };
  }
  const carried = await apply(session, { ...settings.apply, emit: tell, signal });
  const ended = outcomeOf(carried);
  await commits?.end(ended.outcome === 'converged', carried.done, connection);
  return { ...ended, found, result: carried.result };
}

function outcomeOf(carried: Applied): Pick<PassReport, 'outcome' | 'error'> {
  const { result, keyRefused } = carried;
  if (result.interrupted) return { outcome: 'interrupted' };
  if (keyRefused) {
    const reason = result.stopped?.replace(/\.$/, '') ?? 'the service refused the key';
    return { outcome: 'failed', error: new WebsitesError('key-refused', `The run ended: ${reason}.`) };
  }
  return { outcome: exitOf(carried) === EXIT.done ? 'converged' : 'incomplete' };
}

/** Tells of what a plan found, and of what a reader should know. */
function tellPlan(plan: Plan, tell: Tell): void {
  const { warnings, guards } = plan;
  tell({ type: 'planned', plan });
  for (const { message: text } of warnings) tell({ type: 'note', level: 'warn', text });
  for (const { message, remedy } of refusals(guards)) {
    tell({ type: 'note', level: 'warn', text: `Guard: ${message} ${remedy}` });
  }
}
