import type { FileHandle } from 'node:fs/promises';
import { WebsitesError } from '../../model/errors.ts';
import type { Plan } from '../../model/plan.ts';
import { type ChangeOutcome, type Done, type Effect, RUN_ID, type Shows } from '../../model/run.ts';
import type { RecordedChange, RunRecord } from '../../model/run-history.ts';
import { notSealed, type Seals } from '../../model/seal.ts';
import { openRegular, readRegularFile } from '../../util/node/read-file.ts';
import {
  type Closed,
  damaged,
  type EntryOf,
  type Opened,
  parseEntry,
  type RunEntry,
  unreadable,
} from './schema.ts';
import { bearsSeal, runIds, runPath } from './write.ts';

export interface RunInfo extends Omit<Opened, 'entry' | 'format'> {
  /** Missing if the run was killed or is in progress. */
  readonly closed?: Closed;
  readonly finished: boolean;
  /** If its opening has a valid seal; missing if not checked. Without one, its contents are not trusted. */
  readonly sealed?: boolean;
}

/** In bytes. No first or last line of a run file is longer. */
const END_BYTES = 64 * 1024;

/** Lists the runs in `folder`, oldest first. Throws `file-failed` if one cannot be read. */
export async function listRuns(folder: string, seals?: Seals): Promise<readonly RunInfo[]> {
  const infos: RunInfo[] = [];
  for (const run of await runIds(folder)) {
    const info = await readEnds(runPath(folder, run), run, seals);
    if (info !== undefined) infos.push(info);
  }
  return infos;
}

/** Lists the runs on `service`, with any key, oldest first. Throws like listRuns. */
export async function runsAt(
  folder: string,
  { base_url }: Pick<Plan['service'], 'base_url'>,
  seals: Seals | undefined,
): Promise<readonly RunInfo[]> {
  return (await listRuns(folder, seals)).filter((info) => info.service.base_url === base_url);
}

function infoOf(
  { entry: _, format: __, ...opened }: Opened,
  closed: Closed | undefined,
  sealed: boolean | undefined,
): RunInfo {
  return {
    ...opened,
    ...(closed === undefined ? {} : { closed }),
    finished: closed?.finished ?? false,
    ...(sealed === undefined ? {} : { sealed }),
  };
}

/** Returns `undefined` if the file ends before its plan, so that nothing was sent, or was removed. */
async function readEnds(path: string, run: string, seals: Seals | undefined): Promise<RunInfo | undefined> {
  try {
    const file = await openRegular(path);
    try {
      const start = Math.max(0, (await file.stat()).size - END_BYTES);
      const [head, tail] = [await readAt(file, 0), await readAt(file, start)];
      const end = head.indexOf('\n');
      const hasPlan = end >= 0 && start + tail.lastIndexOf('\n') > end;
      if (!hasPlan) return undefined;
      const first = head.slice(0, end);
      const opened = parseEntry(first);
      if ('problem' in opened) throw damaged(path, 1, opened);
      const isOpening = opened.entry === 'opened' && opened.run === run;
      if (!isOpening) throw damaged(path, 1, { problem: `it does not open run ${run}` });
      const closed = parseEntry(tail.trimEnd().split('\n').at(-1) ?? '');
      const isClosed = 'entry' in closed && closed.entry === 'closed';
      return infoOf(opened, isClosed ? closed : undefined, seals && bearsSeal(run, first, seals));
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error instanceof WebsitesError ? error : unreadable(path, error);
  }
}

async function readAt(file: FileHandle, position: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(END_BYTES), 0, END_BYTES, position);
  return buffer.toString('utf8', 0, bytesRead);
}

export type Ending = Pick<EntryOf<'ended'>, 'outcome' | 'id' | 'message'>;

export interface RecordedRun extends Omit<RunInfo, 'plan'> {
  readonly plan: Plan;
  /** Changes that the service showed as done at the start: by index in the plan, with IDs. */
  readonly settled: ReadonlyMap<number, string | undefined>;
  /** Changes that were about to be sent; for updates, with what their records showed right before. */
  readonly begun: ReadonlyMap<number, Shows | undefined>;
  readonly ended: ReadonlyMap<number, Ending>;
  readonly left: ReadonlyMap<number, Shows>;
  readonly sideEffects: readonly Effect[];
}

export interface Trust {
  readonly seals: Seals | undefined;
  readonly list?: string | undefined;
  readonly remedy?: string | undefined;
}

const MOVE_AWAY = 'Move the file away if you do not know who wrote it.';

/** Throws `run-missing`, `seal-invalid` if its seal does not fit, and `file-failed` if its file is damaged. */
export async function readRun(folder: string, run: string, trust: Trust): Promise<RecordedRun> {
  const { seals, list = 'websites runs', remedy = MOVE_AWAY } = trust;
  const path = runPath(folder, run);
  const text = RUN_ID.test(run) ? await readText(path) : undefined;
  if (text === undefined) {
    throw new WebsitesError('run-missing', `Run not found in ${folder}: ${JSON.stringify(run)}.`, {
      remedy: `"${list}" lists the runs.`,
    });
  }
  const sealed = seals && bearsSeal(run, text.slice(0, text.indexOf('\n')), seals);
  if (sealed === false) throw notSealed(`The journal of run ${run}`, remedy);
  return assemble(readEntries(text, path), path, run, sealed);
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return (await readRegularFile(path)).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unreadable(path, error);
  }
}

function readEntries(text: string, path: string): readonly RunEntry[] {
  const lines = text.trimEnd().split('\n');
  return lines.flatMap((line, index) => {
    const entry = parseEntry(line);
    if (!('problem' in entry)) return [entry];
    // The last line may be cut.
    if (index === lines.length - 1) return [];
    throw damaged(path, index + 1, entry);
  });
}

function assemble(
  entries: readonly RunEntry[],
  path: string,
  run: string,
  sealed: boolean | undefined,
): RecordedRun {
  const [opened, planned, ...rest] = entries;
  if (opened?.entry !== 'opened') throw damaged(path, 1, { problem: 'a journal begins with "opened"' });
  if (opened.run !== run) throw damaged(path, 1, { problem: `it belongs to run ${opened.run}` });
  const isBound = planned?.entry === 'planned' && planned.plan.digest === opened.plan;
  if (!isBound) throw damaged(path, 2, { problem: 'it does not contain the plan of its opening' });
  const { plan } = planned;
  const begun = new Map<number, Shows | undefined>();
  const ended = new Map<number, Ending>();
  const left = new Map<number, Shows>();
  const sideEffects: Effect[] = [];
  /** The first entry that shows a value decides. */
  const learnLeft = ({ index, ...entry }: EntryOf<'ended'>): void => {
    const [was, shown] = [left.get(index), shownIn(entry)];
    if (shown) left.set(index, { ...shown, ...was, settings: { ...shown.settings, ...was?.settings } });
  };
  let closed: EntryOf<'closed'> | undefined;
  for (const [at, entry] of rest.entries()) {
    if ('index' in entry && plan.changes[entry.index]?.domain !== entry.domain) {
      throw damaged(path, at + 3, { problem: 'its plan has no such change' });
    }
    switch (entry.entry) {
      case 'begun':
        begun.set(entry.index, shownIn(entry));
        break;
      case 'ended':
        ended.set(entry.index, entry);
        learnLeft(entry);
        break;
      case 'side_effects':
        sideEffects.push(...entry.effects);
        break;
      case 'closed':
        closed = entry;
        break;
      default:
        throw damaged(path, at + 3, { problem: 'another run begins here' });
    }
  }
  const settled = new Map(planned.settled.map(({ index, id }) => [index, id]));
  return { ...infoOf(opened, closed, sealed), plan, settled, begun, ended, left, sideEffects };
}

function shownIn({
  settings,
  password_set,
}: Pick<EntryOf<'begun' | 'ended'>, 'settings' | 'password_set'>): Shows | undefined {
  if (settings === undefined) return undefined;
  return password_set === undefined ? { settings } : { settings, passwordSet: password_set };
}

export function mayBeSent({ begun, ended }: RecordedRun): ReadonlySet<number> {
  const outcomeOf = (index: number): ChangeOutcome => ended.get(index)?.outcome ?? 'unknown';
  return new Set([...begun.keys()].filter((index) => outcomeOf(index) === 'unknown'));
}

export function doneBy({ plan, ended, left }: RecordedRun): readonly Done[] {
  return [...ended].flatMap(([index, { outcome, id }]) => {
    const change = plan.changes[index];
    if (outcome !== 'done' || change === undefined) return [];
    return { change, id: id ?? (change.action === 'create' ? '' : change.id), left: left.get(index) };
  });
}

export function recordOf(recorded: RecordedRun): RunRecord {
  const { plan, ended, begun, left: _, settled, sideEffects, ...past } = recorded;
  const changes = plan.changes.map((change, index): RecordedChange => {
    const own = change.action === 'create' ? {} : { id: change.id };
    if (settled.has(index)) {
      const id = settled.get(index);
      return { change, outcome: 'done', earlier: true, ...own, ...(id === undefined ? {} : { id }) };
    }
    const { outcome, id, message } = ended.get(index) ?? {
      outcome: begun.has(index) ? 'unknown' : 'not_attempted',
    };
    return {
      ...{ change, outcome, ...own },
      ...(id === undefined ? {} : { id }),
      ...(message === undefined ? {} : { message }),
    };
  });
  return { past, changes, sideEffects };
}
