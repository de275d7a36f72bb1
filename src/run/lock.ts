/**
 * The run lock (decision: "One run at a time on one service"): a file that only one process can create. Its
 * holder renews the file's modification time. After a minute without one, another process takes it over.
 */
import { randomUUID } from 'node:crypto';
import { constants, readlinkSync, rmSync } from 'node:fs';
import { type FileHandle, link, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod/mini';
import { fileFailed, WebsitesError } from '../model/errors.ts';
import { NOT_SENT, ServiceError } from '../model/service.ts';
import { parseJson } from '../util/json.ts';
import { MAX_SMALL_FILE, openRegular, readOpen, readSmallSync } from '../util/node/read-file.ts';

export interface Lock {
  /** Rejects with `lock-lost` if another process may have the lock. Returns `undefined` if no check is needed. */
  assertHeld(): Promise<void> | undefined;
  release(): Promise<void>;
}

/** Milliseconds. If the holder's process is not visible, its lock is taken over after `silentMs` without a renewal. */
const TIMING = { renewMs: 10_000, silentMs: 60_000 };
const MAX_TRIES = 40;
const PAUSE_MS = 50;

/** Throws `lock-held`, with the holder, if a running process has the lock. Throws `file-failed`. */
export async function takeLock(path: string, timing = TIMING): Promise<Lock> {
  const me = describeMe();
  const draft = `${path}.${me.token}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // Flushed to the disk before it gets its final name, so that a crash never leaves an incomplete lock file.
    await writeFile(draft, JSON.stringify(me), { flag: 'wx', mode: 0o600, flush: true });
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const isTaken = (await linkTo(draft, path)) || (await replaceGone(draft, path, timing));
      if (isTaken) return hold(path, me, timing);
      await delay(PAUSE_MS);
    }
  } catch (error) {
    const remedy =
      'Make its directory writable, free disk space, or remove the file or directory at that path.';
    fileFailed(`The lock ${path} cannot be used`, remedy)(error);
  } finally {
    await rm(draft, { force: true }).catch(() => undefined);
  }
  throw new WebsitesError('lock-held', `The lock ${path} is being taken over.`, {
    remedy: 'Another run has just begun. Wait for it to end.',
  });
}

async function linkTo(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Returns `undefined` without a lock file. The modification time of `draft` serves as the current time. */
async function look(path: string, draft: string, timing: typeof TIMING) {
  const { mtimeMs: now } = await stat(draft);
  return opened(path, constants.O_RDONLY, async (file, text) => {
    const holder = parseHolder(text);
    const running = holder && isRunning(holder);
    const silentMs = now - (await file.stat()).mtimeMs;
    return { holder, isGone: running === undefined ? silentMs > timing.silentMs : !running };
  });
}

async function opened<T>(
  path: string,
  flags: number,
  use: (file: FileHandle, text: string) => Promise<T>,
): Promise<T | undefined> {
  try {
    const file = await openRegular(path, flags);
    try {
      return await use(file, (await readOpen(file, MAX_SMALL_FILE)).toString());
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaces a lock whose holder is gone. Returns false if that is not possible yet; throws `lock-held`. */
async function replaceGone(draft: string, path: string, timing: typeof TIMING): Promise<boolean> {
  const found = await look(path, draft, timing);
  if (found === undefined) return false;
  if (found.isGone) return whileGone(draft, path, timing, () => rename(draft, path));
  const { holder } = found;
  const who = holder === undefined ? '' : `: process ${holder.pid} on ${holder.host}, since ${holder.since}`;
  throw new WebsitesError('lock-held', `Another run is in progress on this service${who}.`, {
    remedy: `Wait for it to end. If you are sure that it has ended, delete ${path}.`,
  });
}

/** A second lock file admits one process at a time, so that none removes a lock that was just taken over. */
async function whileGone(
  draft: string,
  path: string,
  timing: typeof TIMING,
  replace: () => Promise<void>,
): Promise<boolean> {
  const guard = `${path}.takeover`;
  if (!(await linkTo(draft, guard))) {
    const isLeft = (await look(guard, draft, timing))?.isGone;
    if (isLeft) await whileGone(draft, guard, timing, () => rm(guard, { force: true }));
    return false;
  }
  try {
    if (!(await look(path, draft, timing))?.isGone) return false;
    await replace();
  } finally {
    await rm(guard, { force: true });
  }
  return true;
}

function hold(path: string, me: Holder, { renewMs, silentMs }: typeof TIMING): Lock {
  let renewed = Date.now();
  let lost = false;
  let renewing: Promise<void> = Promise.resolve();

  /** Renews the lock, unless its file is missing or belongs to another process. */
  async function renew(): Promise<void> {
    try {
      const now = Date.now();
      const isOurs = await opened(path, constants.O_RDWR, async (file, text) => {
        const isStillOurs = parseHolder(text)?.token === me.token;
        if (isStillOurs) await file.write(text, 0);
        return isStillOurs;
      });
      lost ||= !isOurs;
      if (!lost) renewed = now;
    } catch {
      // A failure has no effect: the next renewal tries again.
    }
  }

  /** Checks the lock if its renewal is overdue: the process may have been suspended. */
  async function makeSure(): Promise<void> {
    if (!lost && Date.now() - renewed > 2 * renewMs) await renew();
    if (!lost && Date.now() - renewed <= silentMs) return;
    throw new ServiceError('lock-lost', `The lock ${path} of this run was lost, so it stops here.`, {
      ...NOT_SENT,
      remedy: 'Run "websites runs" to see what another run did meanwhile, then plan again.',
    });
  }

  /** Runs also when the process exits early. If the file cannot be removed, the next process takes the lock over. */
  function giveBack(): void {
    orUndefined(() => {
      if (parseHolder(readSmallSync(path))?.token === me.token) rmSync(path);
    });
  }

  const timer = setInterval(() => {
    renewing = renewing.then(renew);
  }, renewMs);
  timer.unref();
  process.once('exit', giveBack);
  return {
    assertHeld() {
      const isCertain = !lost && Date.now() - renewed <= Math.min(2 * renewMs, silentMs);
      return isCertain ? undefined : makeSure();
    },
    async release() {
      clearInterval(timer);
      await renewing;
      giveBack();
      process.off('exit', giveBack);
    },
  };
}

/** Longer than the lock of a dead process lasts. */
const MAX_WAIT_MS = 70_000;

/** Does `work` while holding the lock at `path`. Throws `lock-held` if another process keeps it for MAX_WAIT_MS. */
export async function inTurn<T>(path: string, work: () => Promise<T>): Promise<T> {
  const until = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const lock = await takeLock(path).catch((error: unknown) => {
      const isHeld = error instanceof WebsitesError && error.code === 'lock-held';
      if (!isHeld || performance.now() > until) throw error;
    });
    if (lock) return work().finally(lock.release);
    await delay(PAUSE_MS);
  }
}

const HOLDER = z.object({
  token: z.string(),
  host: z.string(),
  machine: z.string(),
  pid: z.number(),
  /** Distinguishes the process from a later one with the same process ID. */
  start: z.string(),
  since: z.string(),
});

export type Holder = Readonly<z.infer<typeof HOLDER>>;

export function describeMe(): Holder {
  return {
    token: randomUUID(),
    host: hostname(),
    machine: machine(),
    pid: process.pid,
    start: readStat(process.pid)?.start ?? '',
    since: new Date().toISOString(),
  };
}

function parseHolder(text: string): Holder | undefined {
  return HOLDER.safeParse(parseJson(text)).data;
}

/** Returns `undefined` if the process is not visible from here. */
export function isRunning(holder: Holder): boolean | undefined {
  if (holder.machine !== machine()) return undefined;
  const stat = readStat(holder.pid);
  if (stat === undefined) return processExists(holder.pid) ? undefined : false;
  return stat.start === holder.start && !ENDED.has(stat.state);
}

const ENDED: ReadonlySet<string> = new Set(['Z', 'X', 'x']);

/** Identifies the machine: on Linux by boot and process namespace, otherwise by the host name. */
function machine(): string {
  const boot = orUndefined(() => readSmallSync('/proc/sys/kernel/random/boot_id').trim());
  const space = boot && orUndefined(() => readlinkSync('/proc/self/ns/pid'));
  return [boot, space ?? hostname()].filter(Boolean).join(' ');
}

/** Returns the state and the start (in clock ticks since boot) of a process: fields 3 and 22 of `stat` (proc(5)). */
function readStat(pid: number): { state: string; start: string } | undefined {
  const stat = orUndefined(() => readSmallSync(`/proc/${pid}/stat`));
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields && { state: fields[0] ?? '', start: fields[19] ?? '' };
}

function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
