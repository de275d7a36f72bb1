import type { FileHandle } from 'node:fs/promises';
import { WebsitesError } from '../../model/errors.ts';
import { notSealed, type Plan, type Seals } from '../../model/plan.ts';
import { type Done, type Effect, type RecordedChange, RUN_ID, type RunRecord } from '../../model/run.ts';
import { openRegular, readRegularFile } from '../../util/node/read-file.ts';
import {
  type Closed,
  damaged,
  type EntryOf,
  type Opened,
  parseEntry,
  type RunEntry,
  readEntry,
} from './schema.ts';
import { bearsSeal, runIds, runPath, throwUnreadableRunFile } from './write.ts';

export interface RunInfo extends Omit<Opened, 'entry' | 'format'> {
  /** Missing if the run is in progress, or was killed. */
  readonly closed?: Closed | undefined;
  /** True if the seal is valid, missing if not checked. Contents without a valid seal are not trusted. */
  readonly sealed?: boolean | undefined;
}

/** Maximum length in bytes of the first and the last line of a run file. */
const MAX_LINE_BYTES = 64 * 1024;

/** Lists the runs in `folder`, oldest first. Throws `file-failed` if one cannot be read. */
export async function listRuns(folder: string, seals?: Seals): Promise<readonly RunInfo[]> {
  const infos: RunInfo[] = [];
  for (const run of await runIds(folder)) {
    const info = await orUnreadable(runPath(folder, run), (path) => readEnds(path, run, seals));
    if (info !== undefined) infos.push(info);
  }
  return infos;
}

interface RunStore {
  readonly runsFolder: string;
  readonly identity: Plan['service'];
  readonly seals: Seals;
}

/** Lists the runs on the service with any API key, oldest first. Throws like listRuns. */
export async function runsAt({ runsFolder, identity, seals }: RunStore): Promise<readonly RunInfo[]> {
  const runs = await listRuns(runsFolder, seals);
  return runs.filter(({ service }) => service.base_url === identity.base_url);
}

/** Returns `undefined` if the file ends before its plan: that run sent nothing. */
async function readEnds(path: string, run: string, seals: Seals | undefined): Promise<RunInfo | undefined> {
  const file = await openRegular(path);
  try {
    const start = Math.max(0, (await file.stat()).size - MAX_LINE_BYTES);
    const [head, tail] = [await readAt(file, 0), await readAt(file, start)];
    const end = head.indexOf('\n');
    const hasPlan = end >= 0 && start + tail.lastIndexOf('\n') > end;
    if (!hasPlan) return undefined;
    return infoOf(path, run, seals, [head.slice(0, end), tail.trimEnd().split('\n').at(-1) ?? '']);
  } finally {
    await file.close();
  }
}

async function readAt(file: FileHandle, position: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_LINE_BYTES), 0, MAX_LINE_BYTES, position);
  return buffer.toString('utf8', 0, bytesRead);
}

/** Returns the summary of a run from its first and last line. The last line may be cut off. */
function infoOf(
  path: string,
  run: string,
  seals: Seals | undefined,
  [first = '', last = '']: string[],
): RunInfo {
  const opened = parseEntry(first, path, 1);
  const isOpening = opened.entry === 'opened' && opened.run === run;
  if (!isOpening) throw damaged(path, 1, `it does not open run ${run}`);
  const { entry: _, format: __, ...info } = opened;
  const closed = readEntry(last);
  return {
    ...info,
    closed: closed?.entry === 'closed' ? closed : undefined,
    sealed: seals && bearsSeal(run, first, seals),
  };
}

async function orUnreadable<T>(path: string, read: (path: string) => Promise<T>): Promise<T | undefined> {
  try {
    return await read(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    return throwUnreadableRunFile(path)(error);
  }
}

export interface RecordedRun extends RunRecord {
  readonly past: Omit<RunInfo, 'plan'>;
  readonly plan: Plan;
}

/** Throws `run-missing`, `seal-invalid`, or `file-failed`. `list` is the command that errors suggest. */
export async function readRun(
  folder: string,
  run: string,
  { seals, list = 'websites runs' }: { readonly seals: Seals | undefined; readonly list?: string },
): Promise<RecordedRun> {
  const path = runPath(folder, run);
  const bytes = RUN_ID.test(run) ? await orUnreadable(path, readRegularFile) : undefined;
  if (bytes === undefined) {
    throw new WebsitesError('run-missing', `Run not found in ${folder}: ${JSON.stringify(run)}.`, {
      remedy: `Run "${list}" to list the runs.`,
    });
  }
  const lines = bytes.toString().trimEnd().split('\n');
  const past = infoOf(path, run, seals, [lines[0] ?? '', lines.at(-1) ?? '']);
  if (past.sealed === false) {
    const remedy = 'Move the file away if you do not know who wrote it, or name another run.';
    throw notSealed(`The journal of run ${run}`, remedy);
  }
  const planned = parseEntry(lines[1] ?? '', path, 2);
  const isBound = planned.entry === 'planned' && planned.plan.digest === past.plan;
  if (!isBound) throw damaged(path, 2, 'it does not contain the plan of its opening');
  const recorded = { past, plan: planned.plan, changes: changesOf(planned), sideEffects: [] };
  for (const [index, line] of lines.slice(2).entries()) {
    const number = index + 3;
    const entry = number === lines.length ? readEntry(line) : parseEntry(line, path, number);
    if (entry !== undefined) record(entry, recorded, (problem) => damaged(path, number, problem));
  }
  return recorded;
}

function changesOf({ plan, settled }: EntryOf<'planned'>): RecordedChange[] {
  const done = new Map(settled.map(({ index, id }) => [index, id]));
  return plan.changes.map((change, index) => {
    const id = change.action === 'create' ? done.get(index) : change.id;
    return done.has(index)
      ? { change, id, outcome: 'done', earlier: true }
      : { change, id, outcome: 'not_attempted' };
  });
}

function record(
  entry: RunEntry,
  { changes, sideEffects }: { readonly changes: RecordedChange[]; readonly sideEffects: Effect[] },
  fault: (problem: string) => WebsitesError,
): void {
  if (entry.entry === 'side_effects') sideEffects.push(...entry.effects);
  if (entry.entry === 'opened' || entry.entry === 'planned') throw fault('another run begins here');
  if (entry.entry !== 'begun' && entry.entry !== 'ended') return;
  const was = changes[entry.index];
  if (was === undefined || was.change.domain !== entry.domain)
    throw fault('the entry belongs to no change of the plan');
  changes[entry.index] = after(was, entry);
}

/** Adds an entry to a change. If several entries show a value of a created record, the first one counts. */
function after(was: RecordedChange, entry: EntryOf<'begun' | 'ended'>): RecordedChange {
  const { settings, password_set: passwordSet } = entry;
  const shows = settings && { settings, passwordSet };
  if (entry.entry === 'begun') return { ...was, outcome: 'unknown', shown: shows ?? was.shown };
  const { outcome, id = was.id, message = was.message } = entry;
  const known = was.left?.settings;
  const left = shows && {
    settings: { ...settings, ...known },
    passwordSet: was.left?.passwordSet ?? passwordSet,
  };
  return { ...was, outcome, id, message, left: left ?? was.left };
}

/** Returns the changes that the run applied or may have applied. A create with an unknown outcome has no ID. */
export function sentBy({ changes }: RunRecord): readonly Done[] {
  return changes.flatMap(({ change, outcome, earlier, id = '', left }) => {
    const isOwn = outcome === 'unknown' || (outcome === 'done' && !earlier);
    return isOwn ? { change, id, left } : [];
  });
}

/** Returns the indexes of changes that were applied, also by earlier runs, or may have been applied. */
export function sentIndexes({ changes }: RunRecord): readonly number[] {
  return changes.flatMap(({ outcome }, index) => (outcome === 'done' || outcome === 'unknown' ? index : []));
}
