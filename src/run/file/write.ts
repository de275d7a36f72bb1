/**
 * Writes the run file (decision: "Every change is in the journal first"). Each change is written before its request,
 * with the values of its record, and again after its end. A killed run can therefore be explained and undone.
 */
import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Change } from '../../model/change.ts';
import { fileFailed, WebsitesError } from '../../model/errors.ts';
import type { Seals } from '../../model/plan.ts';
import { type Effect, RUN_ID, type Shows } from '../../model/run.ts';
import type { RunContext } from '../context.ts';
import type { Closed, EntryOf, RunEntry } from './schema.ts';

export const RUN_FILE_FORMAT = 'websites.journal/2';

export type RunFile = ReturnType<typeof createRunFile>;

interface NewEnding extends Pick<EntryOf<'ended'>, 'outcome' | 'id' | 'message'> {
  readonly left?: Partial<Shows> | undefined;
}

export interface IndexedChange<C extends Change = Change> {
  readonly change: C;
  readonly index: number;
}

export interface RunHeader
  extends Pick<RunContext, 'plan' | 'seals' | 'madeBy'>,
    Partial<Pick<RunContext, 'requestTimeoutMs'>> {
  readonly run: string;
  readonly at: string;
  readonly settled?: ReadonlyMap<number, string | undefined> | undefined;
}

/** Milliseconds between updates of the file's modification time, which show that the run is in progress. */
export const BEAT_MS = 1000;
/** Milliseconds that an entry waits for others, unless a change waits for the entry. */
const PATIENCE_MS = 50;
const MAX_RUNS = 100;
/** Minimum age in milliseconds. Newer files are never pruned, because their run may be in progress or just killed. */
const FRESH_MS = 60_000;

/** Returns an ID that sorts after all existing ones, even if the clock was set back: `20260131T090000.000Z-1a2b3c`. */
export async function nextRunId(folder: string, now: number): Promise<string> {
  const last = (await runIds(folder)).at(-1);
  const at = new Date(last === undefined ? now : Math.max(now, timeOf(last) + 1));
  const next = `${at.toISOString().replace(/[-:]/g, '')}-${randomBytes(3).toString('hex')}`;
  if (last === undefined || RUN_ID.test(next)) return next;
  const message = `Cannot name a new run: the date of ${runPath(folder, last)} is the last possible one.`;
  throw new WebsitesError('file-failed', message, { remedy: 'Move that file to another directory.' });
}

function timeOf(run: string): number {
  return Date.parse(run.replace(/^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(.*Z)-.*$/, '$1-$2-$3:$4:$5'));
}

export function runPath(folder: string, run: string): string {
  return join(folder, `${run}.ndjson`);
}

export async function runIds(folder: string): Promise<readonly string[]> {
  try {
    const names = await readdir(folder);
    return names
      .flatMap((name) => /^(.+)\.ndjson$/.exec(name)?.[1] ?? [])
      .filter((run) => RUN_ID.test(run) && !Number.isNaN(timeOf(run)))
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    return throwUnreadableRunFile(folder)(error);
  }
}

/** Creates the run file, and removes the oldest runs beyond the limit, unless they may be in progress. */
export async function openRunFile(folder: string, header: RunHeader): Promise<RunFile> {
  return orFileFailed(folder, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const lines = headerLines(header);
    const path = runPath(folder, header.run);
    const file = await open(path, 'ax', 0o600);
    try {
      await file.appendFile(`${lines.join('\n')}\n`);
      await file.datasync();
      await prune(folder);
    } catch (error) {
      await file.close();
      // Nothing was sent, so the file has no use, and on a full disk it would take up space.
      await rm(path, { force: true });
      throw error;
    }
    // Syncs the directory, so that the new file survives a power failure. Not every system supports this.
    const directory = await open(folder).catch(() => undefined);
    await directory?.sync().catch(() => undefined);
    await directory?.close();
    return createRunFile(folder, file);
  });
}

function headerLines({
  run,
  at,
  plan,
  seals,
  madeBy,
  settled = new Map(),
  requestTimeoutMs,
}: RunHeader): string[] {
  const { create, update, delete: deletes } = plan.summary;
  const { undoes, domain, exclude, group = [], only } = plan.options;
  const isSelected = domain.length + exclude.length + group.length > 0 || only !== undefined;
  const opened: EntryOf<'opened'> = {
    entry: 'opened',
    format: RUN_FILE_FORMAT,
    run,
    at,
    made_by: madeBy,
    undoes,
    service: { ...plan.service },
    selected: isSelected || undefined,
    plan: plan.digest,
    planned: { create, update, delete: deletes },
    request_timeout_ms: requestTimeoutMs && Math.ceil(requestTimeoutMs),
  };
  const done = [...settled].map(([index, id]) => ({ index, id }));
  const planned: EntryOf<'planned'> = { entry: 'planned', settled: done, plan };
  const line = JSON.stringify(opened);
  return [
    `${line.slice(0, -1)},"seal":"${seals.of('journal', `${run}\n${line}`)}"}`,
    JSON.stringify(planned),
  ];
}

const SEAL = /,"seal":"([0-9a-f]{64})"\}$/;

export function bearsSeal(run: string, line: string, seals: Seals): boolean {
  const seal = SEAL.exec(line)?.[1];
  return seal !== undefined && seals.fits('journal', `${run}\n${line.replace(SEAL, '}')}`, seal);
}

async function prune(folder: string): Promise<void> {
  for (const run of (await runIds(folder)).slice(0, -MAX_RUNS)) {
    const path = runPath(folder, run);
    const status = await stat(path).catch(() => undefined);
    const isFresh = status !== undefined && Date.now() - status.mtimeMs < FRESH_MS;
    if (!isFresh) await rm(path, { force: true });
  }
}

interface Batch {
  text: string;
  timer?: NodeJS.Timeout;
  written?: Promise<void>;
}

/**
 * Collects entries, so that they share a write and a sync. They are written when a change waits for one of them, and
 * otherwise after PATIENCE_MS.
 */
function createRunFile(folder: string, file: FileHandle) {
  let batch: Batch = { text: '' };
  let last: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    const now = Date.now() / 1000;
    void file.utimes(now, now).catch(() => undefined);
  }, BEAT_MS);
  timer.unref();

  /** After one failure all calls reject, because the file ends in a cut line. */
  function write(own: Batch): Promise<void> {
    own.written ??= last = last.then(async () => {
      clearTimeout(own.timer);
      batch = { text: '' };
      await file.appendFile(own.text);
      await file.datasync();
    });
    return own.written;
  }

  /**
   * The returned function resolves when the entry is on disk. An entry that nobody waits for may be lost: then the next
   * run needs only one more look-up.
   */
  function append(entry: RunEntry): () => Promise<void> {
    const own = batch;
    own.text += `${JSON.stringify(entry)}\n`;
    own.timer ??= setTimeout(() => void write(own).catch(() => undefined), PATIENCE_MS);
    return () => write(own);
  }

  return {
    /** The returned function resolves when the entry is on disk, and rejects with `file-failed`. */
    begin({ index, change: { domain } }: IndexedChange, at: string, shown: Partial<Shows> = {}) {
      const { settings, passwordSet: password_set } = shown;
      const written = append({ entry: 'begun', index, domain, at, settings, password_set });
      return (): Promise<void> => orFileFailed(folder, written);
    },
    /** Writes the outcome of a change. A create may get a second entry if its record shows more values later. */
    end({ index, change: { domain } }: IndexedChange, { left = {}, ...ending }: NewEnding): void {
      const { settings, passwordSet: password_set } = left;
      append({ entry: 'ended', index, domain, ...ending, settings, password_set });
    },
    sideEffects(effects: readonly Effect[]): void {
      if (effects.length > 0) append({ entry: 'side_effects', effects });
    },
    /** Writes the last entry, if given, and closes the file. A second call does nothing. Rejects with `file-failed`. */
    close: (closed?: Omit<Closed, 'entry'>): Promise<void> =>
      orFileFailed(folder, async () => {
        try {
          if (closed !== undefined) await append({ entry: 'closed', ...closed })();
        } finally {
          clearInterval(timer);
          await write(batch).catch(() => undefined);
          await file.close();
        }
      }),
  };
}

function orFileFailed<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const remedy =
    'Make the directory writable and free disk space: every change is recorded before it is sent.';
  return work().catch(fileFailed(`The journal in ${folder} cannot be written`, remedy));
}

export function throwUnreadableRunFile(path: string): (error: unknown) => never {
  const remedy = 'Make the file readable: it contains what earlier runs may have sent.';
  return fileFailed(`${path} cannot be read`, remedy);
}
