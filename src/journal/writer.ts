/**
 * Writing the journal (decision: "Every change is in the journal first"): one file a run, one JSON line an entry,
 * only ever appended to. It opens with the whole plan; a change is written down before its request is sent and again
 * after its end, so that a run that was killed can be explained and undone.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Change } from '../model/change.ts';
import { WebsitesError } from '../model/errors.ts';
import type { FieldName, Settings } from '../model/field-table.ts';
import type { Approvals } from '../model/guard.ts';
import { formatInstant } from '../model/instant.ts';
import type { MadeBy } from '../model/made-by.ts';
import type { Plan } from '../model/plan.ts';
import type { Effect } from '../model/run.ts';
import { type Fate, RUN_ID } from '../model/run.ts';
import type { Seals } from '../model/seal.ts';
import { planPieces } from '../planner/plan-file/write.ts';
import { type Appender, createAppender } from './append.ts';
import { keepFresh } from './heartbeat.ts';
import { type Closed, JOURNAL_FORMAT, type JournalEntry } from './schema.ts';
import { createChain } from './seal-chain.ts';

export interface Journal {
  /** Resolves when the entries are on the disk; rejects with `file-failed` where they cannot get there. */
  begin(items: readonly IndexedChange[], at: string): Promise<void>;
  end(index: number, change: Change, fate: Fate, details?: EndDetails): void;
  /**
   * Writes down what an update may reset, before it is sent, with all that the record shows. Resolves when that is on the
   * disk; rejects with `file-failed`.
   */
  owe(item: IndexedChange, id: string, settings: Settings, left: readonly FieldName[]): Promise<void>;
  /** The same of the write that puts it back. */
  restoring(item: IndexedChange): Promise<void>;
  /** Nothing is owed of the record any more. */
  settled(item: IndexedChange): void;
  sideEffects(effects: readonly Effect[]): void;
  /** Writes the last entry, if one is given, and closes the file; once more does nothing. Rejects with `file-failed`. */
  close(closed?: Omit<Closed, 'entry'>): Promise<void>;
}

interface EndDetails {
  readonly id?: string;
  readonly message?: string;
  readonly withheld?: true;
}

/** A change with its index in the plan, by which the journal names it. */
export interface IndexedChange {
  readonly change: Change;
  readonly index: number;
}

/** What a journal opens with. */
export interface Opening {
  readonly run: string;
  readonly at: string;
  readonly plan: Plan;
  readonly seals: Seals;
  readonly madeBy?: MadeBy | undefined;
  /** What was said yes to beside what the plan has of that. */
  readonly allow?: Approvals | undefined;
  /** How long one request may be at work, in milliseconds. */
  readonly requestTimeoutMs?: number;
  /** The run that this one goes on with. */
  readonly continues?: string;
  /** Changes that earlier runs carried out, by index in the plan, with the id of the record if there is one. */
  readonly settled?: ReadonlyMap<number, string | undefined>;
  /** Changes that earlier runs may have sent. */
  readonly doubtful?: ReadonlySet<number>;
}

/** The number of runs that a folder keeps. */
const KEPT_RUNS = 100;
/** Beyond that, a run that gave a sign within this time is kept: it may be at work, or just killed. */
const FRESH_MS = 60_000;

/** An id that sorts by time and names one run: `20260131T090000.000Z-1a2b3c`. */
export function newRunId(now: number): string {
  return `${new Date(now).toISOString().replace(/[-:]/g, '')}-${randomBytes(3).toString('hex')}`;
}

/** The id of the next run in `folder`: after all that there are, be it that the clock was put back since. */
export async function nextRunId(folder: string, now: number): Promise<string> {
  const last = (await runIds(folder)).at(-1);
  const next = newRunId(last === undefined ? now : Math.max(now, timeOf(last) + 1));
  if (last === undefined || RUN_ID.test(next)) return next;
  throw new WebsitesError('file-failed', `No run can come after ${journalPath(folder, last)}.`, {
    remedy: 'Move that file away: its time is not valid.',
  });
}

/** Not a number where the digits are no time. */
function timeOf(run: string): number {
  return Date.parse(run.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(.*Z)-.*$/, '$1-$2-$3:$4:$5'));
}

export function journalPath(folder: string, run: string): string {
  return join(folder, `${run}.ndjson`);
}

/** Where it is noted what a run does not owe any more. */
export function settledPath(folder: string, run: string): string {
  return join(folder, `${run}.settled`);
}

/** The ids of the runs in `folder`, oldest first; none where there is no such folder. */
export async function runIds(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    return names
      .flatMap((name) => /^(.+)\.ndjson$/.exec(name)?.[1] ?? [])
      .filter((run) => RUN_ID.test(run) && !Number.isNaN(timeOf(run)))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new WebsitesError('file-failed', `${folder} cannot be read: ${(error as Error).message}.`, {
      remedy: 'Make it readable: it contains what earlier runs may have sent.',
      cause: error,
    });
  }
}

/**
 * Opens the journal of a new run in `folder` (made where it is missing, for the owner alone) and removes
 * the oldest runs beyond those kept, but none that may be at work. Rejects with `file-failed` where it cannot be written.
 */
export async function openJournal(folder: string, opening: Opening): Promise<Journal> {
  return orFileFailed(folder, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const seal = createChain(opening.run, opening.seals);
    const lines = openingLines(opening).map(seal).join('\n');
    const path = journalPath(folder, opening.run);
    const file = await open(path, 'ax', 0o600);
    const appender = createAppender(file);
    try {
      await appender.append(lines, true);
      await prune(folder);
    } catch (error) {
      await appender.close();
      // Nothing was sent, and on a full disk what there is of it keeps the room from whatever comes next.
      await rm(path, { force: true });
      throw error;
    }
    await syncFolder(folder);
    return createJournal(folder, appender, seal, keepFresh(file));
  });
}

function openingLines(opening: Opening): string[] {
  const { run, at, plan, madeBy, continues, settled, doubtful, allow, requestTimeoutMs } = opening;
  const { create, update, delete: deletes } = plan.summary;
  const { undoes, domain, exclude, group = [], only } = plan.options;
  const isSelected = domain.length + exclude.length + group.length > 0 || only !== undefined;
  const opened: JournalEntry = {
    entry: 'opened',
    format: JOURNAL_FORMAT,
    run,
    at,
    ...(madeBy === undefined ? {} : { made_by: madeBy }),
    ...(continues === undefined ? {} : { continues }),
    ...(undoes === undefined ? {} : { undoes }),
    service: { ...plan.service },
    ...(isSelected ? { selected: true } : {}),
    plan: plan.digest,
    planned: { create, update, delete: deletes },
    ...(requestTimeoutMs === undefined ? {} : { request_timeout_ms: Math.ceil(requestTimeoutMs) }),
  };
  const planned: Omit<Extract<JournalEntry, { entry: 'planned' }>, 'plan'> = {
    entry: 'planned',
    settled: [...(settled ?? [])].map(([index, id]) => ({ index, ...(id === undefined ? {} : { id }) })),
    doubtful: [...(doubtful ?? [])],
    ...(allow === undefined ? {} : { allow }),
  };
  const text = [...planPieces(plan)].join('');
  return [JSON.stringify(opened), `${JSON.stringify(planned).slice(0, -1)},"plan":${text}}`];
}

async function prune(folder: string): Promise<void> {
  const runs = await runIds(folder);
  const superfluous = runs.slice(0, Math.max(0, runs.length - KEPT_RUNS));
  await Promise.all(superfluous.map((run) => removeUnlessFresh(folder, run)));
}

async function removeUnlessFresh(folder: string, run: string): Promise<void> {
  const path = journalPath(folder, run);
  const status = await stat(path).catch(() => undefined);
  const isFresh = status !== undefined && Date.now() - status.mtimeMs < FRESH_MS;
  if (isFresh) return;
  await rm(path, { force: true });
  await rm(settledPath(folder, run), { force: true });
}

/** Makes the names in a folder last, where the system lets one ask for that. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder).catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/** `seal` is given each line as it is appended, in that order; `rest` ends what keeps the file's time of change fresh. */
function createJournal(
  folder: string,
  appender: Appender,
  seal: (line: string) => string,
  rest: () => void,
): Journal {
  const line = (entry: JournalEntry): string => seal(JSON.stringify(entry));
  return {
    begin(items, at) {
      const lines = items.map(({ index, change: { domain } }) => line({ entry: 'begun', index, domain, at }));
      return orFileFailed(folder, () => appender.append(lines.join('\n'), true));
    },
    end(index, { domain }, fate, details) {
      // An end that is lost costs one look-up in the next run; nothing has to wait for it, or hears of its failure.
      void appender.append(line({ entry: 'ended', index, domain, fate, ...details }), false);
    },
    owe({ index, change: { domain } }, id, settings, left) {
      const at = formatInstant(Date.now());
      const owed = { entry: 'restore_owed', index, domain, at, id, settings, left } as const;
      return orFileFailed(folder, () => appender.append(line(owed), true));
    },
    restoring({ index, change: { domain } }) {
      const entry = line({ entry: 'restoring', index, domain });
      return orFileFailed(folder, () => appender.append(entry, true));
    },
    settled({ index, change: { domain } }) {
      void appender.append(line({ entry: 'restore_settled', index, domain }), false);
    },
    sideEffects(effects) {
      void appender.append(line({ entry: 'side_effects', effects }), false);
    },
    close: (closed) =>
      orFileFailed(folder, async () => {
        try {
          if (closed !== undefined) await appender.append(line({ entry: 'closed', ...closed }), true);
        } finally {
          rest();
          await appender.close();
        }
      }),
  };
}

async function orFileFailed<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof WebsitesError) throw error;
    const isTooLong = error instanceof RangeError;
    const reason = isTooLong ? 'the plan is too large' : (error as Error).message;
    throw new WebsitesError('file-failed', `The journal in ${folder} cannot be written: ${reason}.`, {
      remedy: isTooLong
        ? 'Plan and apply in parts, each with a --group or --domain of its own.'
        : 'Make the directory writable and free disk space: every change is recorded before it is sent.',
      cause: error,
    });
  }
}
