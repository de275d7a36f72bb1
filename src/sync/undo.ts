/** Chooses the run to undo, and plans the undo. */
import { resolve } from 'node:path';
import { readFor } from '../client/look-up.ts';
import { realPath } from '../config/files/paths.ts';
import type { Config } from '../config/load.ts';
import { variableFor } from '../config/read/targets.ts';
import { addressOf } from '../model/base-url.ts';
import { WebsitesError } from '../model/errors.ts';
import { runsCommand, scopeFlags } from '../model/next-command.ts';
import type { Approvals, PlanOptions } from '../model/plan.ts';
import type { Effect } from '../model/run.ts';
import type { Question } from '../model/website.ts';
import { desiredOf } from '../planner/changes.ts';
import { sealPlan } from '../planner/plan.ts';
import { checkSelection, selection, wantedOf } from '../planner/selection.ts';
import { type Deeds, undo } from '../planner/undo.ts';
import { listRuns, type RecordedRun, readRun, runsAt, sentBy } from '../run/file/read.ts';
import { effectsOfKilled } from '../run/readings.ts';
import type { Connection } from './connect.ts';
import { contextOf } from './plan.ts';
import { findNow } from './plan-files.ts';
import type { PlanSource, Sourced } from './session.ts';

export interface Undoing {
  readonly config: Config;
  readonly run?: string | undefined;
  readonly domain: readonly string[];
  readonly allow: Approvals;
}

export function undoOf(undoing: Undoing): PlanSource {
  return async (connection, waitForEarlierRuns) => {
    await waitForEarlierRuns();
    return planUndo(undoing, connection);
  };
}

/**
 * Plans the undo of `run`, or of the last run that may have changed anything. Throws `run-missing`, and
 * `seal-invalid` for a run file without a valid seal. Throws `usage` for a run on another service, or one made from
 * an existing file that is not loaded now.
 */
export async function planUndo(
  { config, run, domain, allow }: Undoing,
  connection: Connection,
): Promise<Sourced> {
  const recorded = await findRun(run, connection);
  await refuseMissed(recorded, config);
  const { desired, pins, resolveSecret } = config;
  const rules: PlanOptions = {
    // The current `service.www` also decides which names are protected or ignored.
    www: pins.www ?? recorded.plan.options.www,
    ...{ domain, exclude: [], allow, prune: false, resend_passwords: false },
    update: pins.update ?? recorded.plan.options.update,
    undoes: recorded.past.run,
  };
  const { service } = connection;
  const deeds = selectedOf(recorded, await effectsOfKilled(recorded, service), rules);
  const remade = deeds.done.filter(({ change }) => change.action !== 'update').map(({ change }) => change);
  const question: Question = {
    wanted: () => wantedOf({ websites: recorded.plan.changes.map(desiredOf) }, rules),
    whole: () => [...new Set([...remade, ...deeds.sideEffects].map(({ domain }) => domain))],
  };
  const current = await readFor(service, question, { www: rules.www });
  const input = { desired, current, rules, context: contextOf(connection, config) };
  return { plan: sealPlan(undo(deeds, input), input), resolveSecret };
}

async function findRun(run: string | undefined, connection: Connection) {
  const { identity, runsFolder, seals, nextFlags } = connection;
  const list = runsCommand(identity, nextFlags);
  const trust = { seals, list };
  if (run !== undefined) {
    // Reads without seals first: the run may belong to another service, whose seals differ.
    const info = (await listRuns(runsFolder)).find((past) => past.run === run);
    if (info !== undefined) refuseElsewhere(run, info.service.base_url, connection);
    return readRun(runsFolder, run, trust);
  }
  // Reads each run as a whole, because its last entry does not show if it changed anything. A killed run has no last
  // entry.
  for (const past of (await runsAt(connection)).toReversed()) {
    const recorded = await readRun(runsFolder, past.run, trust);
    if (sentBy(recorded).length > 0) return recorded;
  }
  throw new WebsitesError('run-missing', `No recorded run changed anything on this service.`, {
    remedy: `Run "${list}" to list the runs, and "websites undo RUN${scopeFlags(identity, nextFlags)}" to undo one.`,
  });
}

function selectedOf(recorded: RecordedRun, killed: readonly Effect[], options: PlanOptions): Deeds {
  checkSelection(options);
  const isSelected = selection(options);
  const { sideEffects } = recorded;
  const deeds = {
    done: sentBy(recorded).filter(({ change }) => isSelected(change.domain)),
    // After a killed run, a difference may be an edit by others: it looks the same as a reset.
    sideEffects: [...sideEffects, ...killed.map(({ after: _, ...effect }) => effect)].filter(({ domain }) =>
      isSelected(domain),
    ),
  };
  const { domain } = options;
  if (domain.length === 0 || Object.values(deeds).some((list) => list.length > 0)) return deeds;
  const { run } = recorded.past;
  const message = `Run ${run} changed nothing that matches ${domain.join(', ')}.`;
  throw new WebsitesError('usage', message, { remedy: `Run "websites runs ${run}" to see what it changed.` });
}

async function refuseMissed({ past: { run }, plan }: RecordedRun, config: Config): Promise<void> {
  const { base, files, added } = await findNow(plan.config, [config.folder, config.cwd]);
  const read = new Set(config.files.map(({ path }) => realPath(resolve(config.cwd, path))));
  const there = files.flatMap(({ path, bulk, now }) => (bulk || !now ? [] : path));
  const missed = [...there, ...added].find((path) => !read.has(realPath(resolve(base, path))));
  if (missed === undefined) return;
  const text = there.includes(missed)
    ? `Run ${run} was also made from ${missed}, but ${missed} was not loaded.`
    : `Run ${run} would also read ${missed} today, but ${missed} was not loaded.`;
  throw new WebsitesError('usage', text, {
    remedy: `Pass ${missed} with -f: it may protect or ignore records of the run.`,
  });
}

function refuseElsewhere(run: string, address: string, { identity }: Connection): void {
  if (address === identity.base_url) return;
  // Names the environment variable for a target, because the flag does not apply to targets.
  const { base_url, target } = identity;
  const flag = target === undefined ? '--base-url ' : `${variableFor('WEBSITES_BASE_URL', target)}=`;
  throw new WebsitesError('usage', `Run ${run} was on ${address}, and the service here is ${base_url}.`, {
    remedy: `Pass ${flag}${addressOf({ base_url: address })} to undo it on that service.`,
  });
}
