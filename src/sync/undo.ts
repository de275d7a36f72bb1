/** Chooses the run to undo, and plans the undo. */
import { resolve } from 'node:path';
import { readFor } from '../client/look-up.ts';
import { exists, realPath } from '../config/files/disk.ts';
import { isStream } from '../config/files/files.ts';
import type { Config } from '../config/load.ts';
import { variableFor } from '../config/read/targets.ts';
import { addressOf } from '../model/base-url.ts';
import { WebsitesError } from '../model/errors.ts';
import type { Approvals } from '../model/guard.ts';
import { runsCommand, scopeFlags } from '../model/next-command.ts';
import type { PlanOptions } from '../model/plan.ts';
import type { Effect } from '../model/run.ts';
import type { Current, Question } from '../model/website.ts';
import { desiredOf } from '../planner/changes.ts';
import { ifSet } from '../planner/match.ts';
import { sealPlan } from '../planner/plan.ts';
import { checkSelection, selected, wantedOf } from '../planner/selection.ts';
import { type Deeds, inverseContent, invert, isStillDeclared } from '../planner/undo.ts';
import { doneBy, listRuns, mayBeSent, type RecordedRun, readRun, runsAt } from '../run/file/read.ts';
import { effectsOfKilled } from '../run/records.ts';
import type { Connection } from './connect.ts';
import { contextOf, filesOf } from './plan.ts';
import { baseOf, filesIn } from './plan-folder.ts';
import type { Sourced } from './session.ts';
import { runsFolder } from './state.ts';

export interface Undoing {
  readonly run?: string | undefined;
  readonly domain: readonly string[];
  readonly allow: Approvals;
}

interface UndoPlan extends Sourced {
  readonly skipped: number;
  readonly isStillDeclared: boolean;
}

/**
 * Plans to undo `run`, or the last run that may have changed anything, finished or not. Throws `run-missing`,
 * `seal-invalid` for a run file without a fitting seal, and `usage` for a run on another service, or from an existing
 * file that was not read.
 */
export async function planUndo(undoing: Undoing, config: Config, connection: Connection): Promise<UndoPlan> {
  const recorded = await findRun(undoing.run, runsFolder(config.root), connection);
  await refuseMissed(recorded, config);
  refuseElsewhere(recorded.run, recorded.plan.service.base_url, connection);
  const { domain, allow } = undoing;
  const { desired, pins } = config;
  const options: PlanOptions = {
    // The current pins also apply to protected and ignored domains.
    ...ifSet(pins, recorded.plan.options),
    ...{ domain, exclude: [], allow, prune: false, resend_passwords: false },
    update: pins.update ?? recorded.plan.options.update,
    undoes: recorded.run,
  };
  const killed = await effectsOfKilled(recorded, connection.service);
  const deeds = selectedOf(recorded, killed, options);
  const now = { desired, ...ifSet(options), source: { file: `run ${recorded.run}`, line: 0, column: 0 } };
  const { service, parallelism, onRead } = connection;
  const question: Question = {
    wanted: () => wantedOf({ websites: recorded.plan.changes.map(desiredOf) }, options),
    whole: (found) => hiddenOf(deeds, found),
  };
  const current = await readFor(service, question, { parallelism, onRead, ...ifSet(options) });
  const inverse = invert(deeds, current, now);
  // A resume needs the same files: they may protect or ignore what it deletes.
  const context = { ...contextOf(connection), config: filesOf(config) };
  const input = { desired, current, rules: options, context };
  return {
    plan: sealPlan(inverseContent(inverse, input), input),
    skipped: inverse.skipped.length,
    isStillDeclared: isStillDeclared(deeds, desired),
  };
}

async function findRun(run: string | undefined, folder: string, connection: Connection) {
  const { identity, seals, target, where } = connection;
  const about = { service: { target } };
  const list = runsCommand(about, where);
  const trust = { seals, list, remedy: 'Name another run.' };
  if (run !== undefined) {
    // The service is not verified yet: its seals belong to that service.
    const info = (await listRuns(folder)).find((past) => past.run === run);
    if (info !== undefined) refuseElsewhere(run, info.service.base_url, connection);
    return readRun(folder, run, trust);
  }
  const runs = await runsAt(folder, { base_url: identity }, seals);
  // The end of a run does not show its work: a killed one has no end, and one may have found changes.
  for (const past of runs.toReversed()) {
    const recorded = await readRun(folder, past.run, trust);
    if (doneBy(recorded).length > 0 || mayBeSent(recorded).size > 0) return recorded;
  }
  throw new WebsitesError('run-missing', `No run here changed anything on this service.`, {
    remedy: `"${list}" lists the runs. "websites undo RUN${scopeFlags(about, where)}" undoes one.`,
  });
}

function selectedOf(recorded: RecordedRun, killed: readonly Effect[], options: PlanOptions): Deeds {
  checkSelection(options);
  const { plan, sideEffects } = recorded;
  const inDoubt = [...mayBeSent(recorded)].flatMap((index) => plan.changes[index] ?? []);
  const deeds = {
    done: selected(doneBy(recorded), ({ change }) => change.domain, options),
    inDoubt: selected(inDoubt, ({ domain }) => domain, options),
    // After a killed run, a difference may be an edit by others: it cannot be distinguished from a reset.
    beside: selected(
      [...sideEffects, ...killed.map(({ after: _, ...effect }) => effect)],
      ({ domain }) => domain,
      options,
    ),
  };
  const { domain } = options;
  if (domain.length === 0 || Object.values(deeds).some((list) => list.length > 0)) return deeds;
  throw new WebsitesError('usage', `Run ${recorded.run} changed nothing that matches ${domain.join(', ')}.`, {
    remedy: `"websites runs ${recorded.run}" shows what it changed.`,
  });
}

function hiddenOf({ done, beside }: Deeds, { websites }: Current): readonly string[] {
  const rows = new Map(websites.map((website) => [website.id, website.settings]));
  const whole = done.filter(({ change }) => change.action !== 'update').map(({ change }) => change.domain);
  const hidden = beside.filter(({ id, field }) => rows.get(id)?.[field] === undefined);
  return [...new Set([...whole, ...hidden.map(({ domain }) => domain)])];
}

async function refuseMissed({ run, plan }: RecordedRun, config: Config): Promise<void> {
  const base = await baseOf(plan.config, config);
  const read = new Set(config.files.map(({ path }) => realPath(resolve(config.cwd, path))));
  const there: string[] = [];
  for (const { path, bulk } of plan.config.files) {
    if (!bulk && !isStream(path) && (await exists(resolve(base, path)))) there.push(path);
  }
  // If no file exists, the directories of the plan are others.
  const more = there.length === 0 ? [] : await filesIn(plan.config, base);
  const missed = [...there, ...more].find((path) => !read.has(realPath(resolve(base, path))));
  if (missed === undefined) return;
  const text = there.includes(missed)
    ? `Run ${run} was also made from ${missed}, but it was not loaded.`
    : `Run ${run} would also read ${missed} today, but it was not loaded.`;
  throw new WebsitesError('usage', text, {
    remedy: 'Pass it with -f: it may protect or ignore records of the run.',
  });
}

function refuseElsewhere(run: string, address: string, { identity, target }: Connection): void {
  if (address === identity) return;
  const named = addressOf({ service: { base_url: address } });
  // Flags do not apply to targets.
  const flag = target === undefined ? '--base-url ' : `${variableFor('WEBSITES_BASE_URL', target)}=`;
  throw new WebsitesError('usage', `Run ${run} was on ${address}, and the service here is ${identity}.`, {
    remedy: `Pass ${flag}${named} if that is the service that you mean.`,
  });
}
