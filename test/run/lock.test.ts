import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { mkdir, readdir, readFile, readlink, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import timers from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, it, type MockInstance, onTestFinished, vi } from 'vitest';
import { describeMe, type Holder, inTurn, isRunning, type Lock, takeLock } from '../../src/run/lock.ts';
import { bundle } from '../support/bundle.ts';
import { testFolder } from '../support/cli.ts';

let path: string;
beforeEach(async () => {
  path = join(await testFolder(), 'locks', 'service.lock');
});

/** Leaves a lock as another holder would, renewed `silentMs` milliseconds ago. */
async function leave(holder: Partial<Holder>, silentMs = 0, at = path): Promise<void> {
  await mkdir(dirname(at), { recursive: true });
  await writeFile(at, JSON.stringify({ ...describeMe(), ...holder }));
  const renewed = (Date.now() - silentMs) / 1000;
  await utimes(at, renewed, renewed);
}

/** Replaces a function of Node wherever it is imported, for one test. */
function patched<Spy extends MockInstance>(spy: Spy): Spy {
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
  return spy;
}

const PATIENCE = { timeout: 10_000 };

const ELSEWHERE = { machine: 'another boot', host: 'elsewhere.example', pid: 4711 };

interface Locker {
  readonly child: ChildProcess;
  take(path: string): Promise<string>;
}

async function startLocker(): Promise<Locker> {
  const script = fileURLToPath(new URL('../support/lock-main.ts', import.meta.url));
  const child = spawn(process.execPath, [await bundle(script)], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  await lines.next();
  return {
    child,
    async take(at) {
      child.stdin.write(`${at}\n`);
      return String((await lines.next()).value);
    },
  };
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

it('a lock error names the process that holds the lock', async () => {
  const lock = await takeLock(path);
  await expect(takeLock(path)).rejects.toMatchObject({
    code: 'lock-held',
    message: expect.stringContaining(`process ${process.pid}`),
    remedy: expect.stringContaining(path),
  });
  await lock.release();
  await (await takeLock(path)).release();
  expect(await readdir(dirname(path))).toEqual([]);
});

it.skipIf(process.platform !== 'linux')(
  'a lock file identifies its process by boot, namespace, process ID and start time',
  async () => {
    const { machine, start } = describeMe();
    const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
    expect(machine).toBe(`${boot} ${await readlink('/proc/self/ns/pid')}`);
    // Field 22 (proc(5)); the second is a name in parentheses.
    const [, field] = /\) (?:\S+ ){19}(\d+) /.exec(await readFile('/proc/self/stat', 'utf8')) ?? [];
    expect(start).toBe(field);
  },
);

it('a suspended process keeps its lock', async () => {
  const { child, take } = await startLocker();
  expect(await take(path)).toBe('held');
  child.kill('SIGSTOP');
  await utimes(path, 1, 1);
  await expect(takeLock(path)).rejects.toMatchObject({ code: 'lock-held' });
});

it('a process on another machine keeps its lock for a minute after its last renewal', async () => {
  await leave(ELSEWHERE, 55_000);
  await expect(takeLock(path)).rejects.toMatchObject({
    code: 'lock-held',
    message: expect.stringContaining('process 4711 on elsewhere.example'),
  });
});

it.each([-120_000, 120_000])('a lock of another machine holds if its clock is %i ms off', async (off) => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const lock = await takeLock(path);
  await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), ...ELSEWHERE }));
  await utimes(path, 1, 1);
  vi.setSystemTime(Date.now() + off);
  vi.advanceTimersByTime(10_000);
  const renewed = async (): Promise<void> => expect((await stat(path)).mtimeMs).toBeGreaterThan(1000);
  await vi.waitFor(renewed, PATIENCE);
  vi.useRealTimers();
  await expect(takeLock(path)).rejects.toMatchObject({ code: 'lock-held' });
  expect(Math.abs(Date.now() - (await stat(path)).mtimeMs)).toBeLessThan(60_000);
  await lock.release();
});

it('a lock file is readable only by its owner, and is renewed while it is held', async () => {
  const lock = await takeLock(path, { renewMs: 20, silentMs: 1000 });
  const modeOf = async (at: string): Promise<number> => (await stat(at)).mode & 0o777;
  expect([await modeOf(path), await modeOf(dirname(path))]).toEqual([0o600, 0o700]);
  await utimes(path, 1, 1);
  const age = async (): Promise<number> => Math.abs(Date.now() - (await stat(path)).mtimeMs);
  await expect.poll(age, PATIENCE).toBeLessThan(10_000);
  await lock.assertHeld();
  await lock.release();
});

it('the lock of a killed process is taken over at once', async () => {
  const { child, take } = await startLocker();
  expect(await take(path)).toBe('held');
  await kill(child);
  await (await takeLock(path)).release();
});

it('the lock of a zombie process is taken over at once', async () => {
  const parent = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 30'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [line] = await once(createInterface(parent.stdout), 'line');
  const pid = Number(line);
  const statOf = async (): Promise<string[]> => {
    const text = await readFile(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  };
  await expect.poll(async () => (await statOf())[0], PATIENCE).toBe('Z');
  await leave({ pid, start: (await statOf())[19] ?? '' });
  await (await takeLock(path)).release();
});

it.each([
  ['another process has its ID now', { start: '1' }, 0],
  ['no process has its ID', { pid: 2 ** 22 + 1 }, 0],
  ['its machine was silent for more than a minute', ELSEWHERE, 61_000],
])('a lock is taken over if %s', async (_, holder, silentMs) => {
  await leave(holder, silentMs);
  const lock = await takeLock(path);
  await lock.assertHeld();
  await lock.release();
  expect(await readdir(dirname(path))).toEqual([]);
});

it('a lock that is released during a takeover is taken by one process', async () => {
  await leave({ start: '1' });
  const { link: name } = fs;
  const spy = patched(vi.spyOn(fs, 'link')).mockImplementationOnce(async (draft, at) => {
    await name(draft, at).finally(() => rm(path));
  });
  const lock = await takeLock(path);
  expect(spy.mock.calls.length).toBeGreaterThan(1);
  expect((await readdir(dirname(path))).length).toBe(1);
  await lock.release();
  expect(await readdir(dirname(path))).toEqual([]);
});

it('a lock can be taken after another process died while taking it over', async () => {
  await leave({ start: '1' });
  await leave({ start: '1' }, 0, `${path}.takeover`);
  await (await takeLock(path)).release();
  expect(await readdir(dirname(path))).toEqual([]);
});

it('only one of two processes gets a lock if they find an interrupted takeover', async () => {
  await leave({ start: '1' });
  const guard = `${path}.takeover`;
  await leave({ start: '1' }, 0, guard);
  patched(vi.spyOn(timers, 'setTimeout').mockResolvedValue(undefined));
  const { rm: remove, rename: move } = fs;
  const taken: Promise<unknown>[] = [];
  const winners: Lock[] = [];
  const take = (): Promise<unknown> =>
    takeLock(path)
      .then((lock) => winners.push(lock))
      .catch(String);
  let isSecondAtWork = false;
  let replaces = (): void => undefined;
  const replacing = new Promise<void>((resolve) => {
    replaces = resolve;
  });
  // Starts the second process just before the first removes the dead lock.
  patched(vi.spyOn(fs, 'rm')).mockImplementation(async (at, options) => {
    if (at === guard && taken.length === 1) {
      isSecondAtWork = true;
      const second = take().finally(() => {
        isSecondAtWork = false;
      });
      taken.push(second);
      await Promise.race([replacing, second]);
    }
    return remove(at, options);
  });
  patched(vi.spyOn(fs, 'rename')).mockImplementation(async (from, to) => {
    if (isSecondAtWork) {
      isSecondAtWork = false;
      replaces();
      await taken[0];
    }
    return move(from, to);
  });
  taken.push(take());
  await taken[0];
  await taken[1];
  expect(winners).toHaveLength(1);
  await winners[0]?.release();
  expect(await readdir(dirname(path))).toEqual([]);
});

it('taking a lock is an error while another process takes it over', async () => {
  await leave({ start: '1' });
  const guard = `${path}.takeover`;
  await leave({}, 0, guard);
  const left = [await readFile(path, 'utf8'), await readFile(guard, 'utf8')];
  const pause = patched(vi.spyOn(timers, 'setTimeout').mockResolvedValue(undefined));
  await expect(takeLock(path)).rejects.toMatchObject({
    code: 'lock-held',
    message: expect.stringContaining('being taken over'),
    remedy: expect.any(String),
  });
  expect(pause.mock.calls.length).toBeGreaterThan(10);
  expect([await readFile(path, 'utf8'), await readFile(guard, 'utf8')]).toEqual(left);
  expect(await readdir(dirname(path))).toHaveLength(2);
});

it('an empty lock file blocks a run for at most a minute', async () => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, '');
  await expect(takeLock(path)).rejects.toMatchObject({ code: 'lock-held' });
  await utimes(path, 1, 1);
  await (await takeLock(path)).release();
});

it('exactly one of many processes takes over the lock of a dead process', async () => {
  const lockers = await Promise.all(Array.from({ length: 4 }, startLocker));
  for (let round = 0; round < 15; round += 1) {
    const at = `${path}.${round}`;
    await leave({ start: '1' }, 0, at);
    const outcomes = await Promise.all(lockers.map((locker) => locker.take(at)));
    expect(outcomes.filter((outcome) => outcome === 'held')).toHaveLength(1);
    const winner = lockers[outcomes.indexOf('held')]?.child.pid;
    for (const outcome of outcomes.filter((text) => text !== 'held')) {
      expect(outcome).toContain(`process ${winner}`);
    }
  }
});

it.each([
  ['another process has it', () => leave(ELSEWHERE, 5000)],
  ['its file was deleted', () => rm(path)],
])('a run stops and does not change the lock file if %s', async (_, lose) => {
  const lock = await takeLock(path, { renewMs: 20, silentMs: 1000 });
  await lock.assertHeld();
  await lose();
  const look = () => Promise.all([readFile(path, 'utf8'), stat(path).then(({ mtimeMs }) => mtimeMs)]);
  const left = await look().catch(() => undefined);
  await expect
    .poll(
      () =>
        Promise.resolve(lock.assertHeld()).then(
          () => 'held',
          (error: { code: string }) => error.code,
        ),
      PATIENCE,
    )
    .toBe('lock-lost');
  await lock.release();
  expect(await look().catch(() => undefined)).toEqual(left);
});

it('a run stops as soon as it notices that its lock was lost', async () => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const lock = await takeLock(path);
  await leave(ELSEWHERE);
  vi.advanceTimersByTime(10_000);
  const stops = async (): Promise<void> => {
    await expect(Promise.resolve(lock.assertHeld())).rejects.toMatchObject({ code: 'lock-lost' });
  };
  await vi.waitFor(stops, PATIENCE);
  await lock.release();
});

it('a process that slept past the renewal of its lock notices the loss before a write', async () => {
  const lock = await takeLock(path, { renewMs: 60_000, silentMs: 50 });
  await new Promise((resolve) => setTimeout(resolve, 60));
  await expect(lock.assertHeld()).rejects.toMatchObject({ code: 'lock-lost' });
  await lock.release();
});

/** The lock of a process that was suspended after it took it, in milliseconds. */
async function stopped(length: number): Promise<Lock> {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const lock = await takeLock(path);
  vi.setSystemTime(Date.now() + length);
  return lock;
}

it('a process that was suspended briefly does not check its lock', async () => {
  expect((await stopped(19_000)).assertHeld()).toBeUndefined();
});

it.each([21_000, 70_000])('a process that was suspended for %i ms renews its lock', async (length) => {
  const lock = await stopped(length);
  await utimes(path, 1, 1);
  const looking = lock.assertHeld();
  expect(looking).toBeInstanceOf(Promise);
  await looking;
  expect((await stat(path)).mtimeMs).toBeGreaterThan(1000);
  expect(lock.assertHeld()).toBeUndefined();
});

it.each([21_000, 70_000])('a process suspended for %i ms stops if its lock was taken', async (length) => {
  const lock = await stopped(length);
  await leave(ELSEWHERE);
  await expect(lock.assertHeld()).rejects.toMatchObject({ code: 'lock-lost' });
  await expect(lock.assertHeld()).rejects.toMatchObject({ code: 'lock-lost' });
});

it.each([
  [21_000, 'held'],
  [70_000, 'lock-lost'],
])('if a lock cannot be renewed after a suspension of %i ms, its state is %s', async (length, outcome) => {
  const lock = await stopped(length);
  patched(vi.spyOn(fs, 'open').mockRejectedValue(new Error('EIO: i/o error')));
  const looked = Promise.resolve(lock.assertHeld()).then(
    () => 'held',
    (error: { code: string }) => error.code,
  );
  expect(await looked).toBe(outcome);
});

it('taking a lock is an error if the lock directory is a file', async () => {
  await writeFile(dirname(path), 'a file where the folder should be');
  await expect(takeLock(path)).rejects.toMatchObject({ code: 'file-failed' });
});

it('inTurn holds the lock until its work has ended', async () => {
  const isThere = await inTurn(path, () =>
    stat(path).then(
      () => true,
      () => false,
    ),
  );
  expect(isThere).toBe(true);
  await expect(stat(path)).rejects.toThrow('ENOENT');
});

it('isRunning returns undefined for a process that exists without details in /proc', () => {
  // Process ID 0 means the group of this process, and is not in /proc.
  expect(isRunning({ ...describeMe(), pid: 0 })).toBeUndefined();
});
