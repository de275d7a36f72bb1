/** Which run is to be taken back, and the plan that does. */
import { resolve } from 'node:path';
import { exists, realPath } from '../config/files/disk.ts';
import { isStream } from '../config/files/files.ts';
import type { Config } from '../config/load.ts';
import { variableFor } from '../config/read/targets.ts';
import { WebsitesError } from '../model/errors.ts';
import type { Approvals } from '../model/guard.ts';
import { runsCommand, scopeFlags, type Where } from '../model/next-command.ts';
import type { Plan } from '../model/plan.ts';
import type { Done } from '../model/run.ts';
import type { Current } from '../model/website.ts';
import { desiredOfPlan } from '../planner/desired-of-plan.ts';
import { ignoring } from '../planner/match.ts';
import { sealPlan } from '../planner/plan.ts';
import { type ChangedBeside, type Inverse, inverseContent, invert } from '../planner/undo.ts';
import { listRuns, runsAt } from '../run/file/list.ts';
import { doneBy, mayBeSent, type RecordedRun, readRun, type Trust } from '../run/file/read.ts';
import { effectsOfKilled } from '../run/killed.ts';
import type { Connection } from './connect.ts';
import { contextOf, currentOf, filesOf, withHidden, withLosses } from './plan.ts';
import { baseOf, filesIn } from './plan-folder.ts';
import { addressOf } from './saved-plan.ts';

/** A run, and what it did. */
export interface Undone {
  readonly recorded: RecordedRun;
  readonly done: readonly Done[];
}

/** Takes lines for a person. */
type Tell = (text: string) => void;

/**
 * Reads `run`, or else the last run on this service that changed anything, finished or not. `tell` hears
 * of what is not taken back with it. Throws `run-missing`, `seal-invalid` if a run file bears no fitting seal, and
 * `outcome-unknown` where the last one may be one of which it is only known that it may
 * have changed something.
 */
export async function findUndone(
  run: string | undefined,
  folder: string,
  connection: Connection,
  tell: Tell,
): Promise<Undone> {
  const trust = trustOf(connection);
  return run === undefined
    ? lastThatChanged(folder, connection, tell, trust)
    : readNamed(run, folder, connection, tell, trust);
}

function trustOf({ seals, target, where }: Connection): Trust {
  return {
    seals,
    list: runsCommand({ service: { target } }, where),
    remedy: 'Name another run.',
  };
}

async function lastThatChanged(
  folder: string,
  connection: Connection,
  tell: Tell,
  trust: Trust,
): Promise<Undone> {
  const { identity, target, where } = connection;
  const runs = await runsAt(folder, { base_url: identity }, trust.seals);
  // How a run ended does not tell what it did: one that was killed has no end, and one may have found changes.
  for (const { run } of runs.toReversed()) {
    const undone = await read(run, folder, tell, trust);
    if (undone.done.length > 0) return undone;
    if (mayBeSent(undone.recorded).size > 0) throw notKnown(undone.recorded, where);
  }
  const about = { service: { target } };
  throw new WebsitesError('run-missing', `No run here changed anything on this service.`, {
    remedy: `"${runsCommand(about, where)}" lists the runs. "websites undo RUN${scopeFlags(about, where)}" undoes one.`,
  });
}

/** Before its seals, which are of its own service, where it was is told by its word alone. */
async function readNamed(
  run: string,
  folder: string,
  connection: Connection,
  tell: Tell,
  trust: Trust,
): Promise<Undone> {
  const info = (await listRuns(folder)).find((past) => past.run === run);
  if (info !== undefined) refuseElsewhere(run, info.service.base_url, connection);
  return read(run, folder, tell, trust);
}

/** A run with what it did. Throws `run-missing`. */
async function read(run: string, folder: string, tell: Tell, trust: Trust): Promise<Undone> {
  const recorded = await readRun(folder, run, trust);
  const count = mayBeSent(recorded).size;
  const changes = count === 1 ? 'one change' : `${count} changes`;
  if (count > 0) tell(`Not undone: ${changes} of run ${run}, whose outcome is unknown.\n`);
  return { recorded, done: doneBy(recorded) };
}

function notKnown({ run, plan }: RecordedRun, where: Where): WebsitesError {
  const flag = scopeFlags({ service: plan.service }, where);
  return new WebsitesError('outcome-unknown', `It is not known whether run ${run} changed anything.`, {
    remedy: `"websites plan${flag}" shows the current state; "websites undo RUN${flag}" undoes another run.`,
  });
}

/**
 * Plans to take a run back, as far as the records are as it left them, and says how many changes are not taken back.
 * Throws `usage` where the run was on another service, or made from a file that is there and was not read.
 */
export async function planUndo(
  { recorded, done }: Undone,
  config: Config,
  connection: Connection,
  allow: Approvals,
): Promise<{ plan: Plan; skipped: number }> {
  await refuseMissed(recorded, config);
  refuseElsewhere(recorded.run, recorded.plan.service.base_url, connection);
  const { desired, pins } = config;
  const { since: _, only: __, fail_on_drift: ___, group: ____, ...asked } = recorded.plan.options;
  // What the files settle by now holds for what they protect and ignore, too.
  const { www = asked.www, update = asked.update } = pins;
  const options = {
    ...asked,
    ...(www === undefined ? {} : { www }),
    update,
    prune: false,
    domain: [],
    exclude: [],
    resend_passwords: false,
    undoes: recorded.run,
    allow,
  };
  const killed = await effectsOfKilled(recorded, connection.service);
  const beside = [...recorded.sideEffects, ...killed];
  const source = { file: `run ${recorded.run}`, line: 0, column: 0 };
  const invertOn = (current: Current): Inverse =>
    invert(done, current, source, ignoring(desired, current, options.www), options.www, beside);
  const touched = desiredOfPlan(recorded.plan);
  const found = await currentOf(touched, options, connection);
  const listed = await withHidden(hiddenOf(beside, found), found, options, connection);
  const current = await withLosses(invertOn(listed), listed, options, connection);
  const inverse = invertOn(current);
  // What is left of it is gone on with while they are the same: they may protect or ignore what it deletes.
  const context = contextOf(connection, filesOf(config));
  const content = inverseContent(inverse, current, desired, options);
  return { plan: sealPlan(content, current, options, context), skipped: inverse.skipped.length };
}

/** The domains of records of which something is to be put back that lists hide. */
function hiddenOf(beside: readonly ChangedBeside[], { websites }: Current): readonly string[] {
  const rows = new Map(websites.map((website) => [website.id, website]));
  const hidden = beside.filter(({ id, field }) => rows.get(id)?.settings[field] === undefined);
  return [...new Set(hidden.map(({ domain }) => domain))];
}

async function refuseMissed({ run, plan }: RecordedRun, config: Config): Promise<void> {
  const base = await baseOf(plan.config, config);
  const read = new Set(config.files.map(({ path }) => realPath(resolve(config.cwd, path))));
  const there: string[] = [];
  for (const { path, bulk } of plan.config.files) {
    if (!bulk && !isStream(path) && (await exists(resolve(base, path)))) there.push(path);
  }
  // Where none is there, the folders of the plan are others.
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
  throw new WebsitesError('usage', `Run ${run} was on ${address}, and the service here is ${identity}.`, {
    remedy: `Pass ${addressFlag(target)}${named} if that is the service that you mean.`,
  });
}

/** What an address is said by; flags are not for targets. */
function addressFlag(target: string | undefined): string {
  return target === undefined ? '--base-url ' : `${variableFor('WEBSITES_BASE_URL', target)}=`;
}
