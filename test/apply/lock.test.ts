import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, readlink, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { describeMe, type Holder } from '../../src/apply/holder.ts';
import { takeLock } from '../../src/apply/lock.ts';
import { bundle } from '../support/bundle.ts';
import { testFolder } from '../support/cli.ts';

let path: string;
beforeEach(async () => {
  path = join(await testFolder(), 'locks', 'service.lock');
});

/** Leaves a lock as another holder would, renewed so many milliseconds ago. */
async function leave(holder: Partial<Holder>, silentMs = 0, at = path): Promise<void> {
  await mkdir(dirname(at), { recursive: true });
  await writeFile(at, JSON.stringify({ ...describeMe(), ...holder }));
  const renewed = (Date.now() - silentMs) / 1000;
  await utimes(at, renewed, renewed);
}

/** How long a test waits for what takes a moment. */
const PATIENCE = { timeout: 10_000 };

const ELSEWHERE = { machine: 'another boot', host: 'elsewhere.example', pid: 4711 };

interface Locker {
  readonly child: ChildProcess;
  /** Has it take the lock at `path`; returns how that went. */
  take(path: string): Promise<string>;
}

/** A process that takes locks and keeps them for as long as it lives. */
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

describe('a living holder', () => {
  it('is named to whoever comes next, in the same process too', async () => {
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
    'is known by the boot, the namespace of its process id, and its start',
    async () => {
      const { machine, start } = describeMe();
      const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
      expect(machine).toBe(`${boot} ${await readlink('/proc/self/ns/pid')}`);
      // Field 22 (proc(5)); the second is a name in parentheses.
      const [, field] = /\) (?:\S+ ){19}(\d+) /.exec(await readFile('/proc/self/stat', 'utf8')) ?? [];
      expect(start).toBe(field);
    },
  );

  it('keeps it while it is stopped, however long it is silent', async () => {
    const { child, take } = await startLocker();
    expect(await take(path)).toBe('held');
    child.kill('SIGSTOP');
    await utimes(path, 1, 1);
    await expect(takeLock(path)).rejects.toMatchObject({ code: 'lock-held' });
  });

  it('on another machine keeps it for a minute after its last sign', async () => {
    await leave(ELSEWHERE, 55_000);
    await expect(takeLock(path)).rejects.toMatchObject({
      code: 'lock-held',
      message: expect.stringContaining('process 4711 on elsewhere.example'),
    });
  });

  it('writes for its own eyes only, and renews its lease', async () => {
    const lock = await takeLock(path, { renewMs: 20, silentMs: 1000 });
    const modeOf = async (at: string): Promise<number> => (await stat(at)).mode & 0o777;
    expect([await modeOf(path), await modeOf(dirname(path))]).toEqual([0o600, 0o700]);
    await utimes(path, 1, 1);
    await expect.poll(async () => (await stat(path)).mtimeMs, PATIENCE).toBeGreaterThan(Date.now() - 10_000);
    await lock.assertHeld();
    await lock.release();
  });
});

describe('a holder that is gone', () => {
  it('is followed at once when it was killed', async () => {
    const { child, take } = await startLocker();
    expect(await take(path)).toBe('held');
    await kill(child);
    await (await takeLock(path)).release();
  });

  it('is followed at once when it is a zombie', async () => {
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
    ['its process id is used by another process now', { start: '1' }, 0],
    ['its process id is used by nobody', { pid: 2 ** 22 + 1 }, 0],
    ['it is on another machine, and silent for more than a minute', ELSEWHERE, 61_000],
  ])('is followed when %s', async (_, holder, silentMs) => {
    await leave(holder, silentMs);
    const lock = await takeLock(path);
    await lock.assertHeld();
    await lock.release();
    expect(await readdir(dirname(path))).toEqual([]);
  });

  it('blocks nobody by a takeover that it did not finish', async () => {
    await leave({ start: '1' });
    await leave({ start: '1' }, 0, `${path}.takeover`);
    await (await takeLock(path)).release();
    expect(await readdir(dirname(path))).toEqual([]);
  });

  it('blocks nobody for more than a minute by a file that a crash left empty', async () => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, '');
    await expect(takeLock(path)).rejects.toMatchObject({ code: 'lock-held' });
    await utimes(path, 1, 1);
    await (await takeLock(path)).release();
  });

  it('is followed by exactly one of many', async () => {
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
});

describe('a lock that is lost', () => {
  it.each([
    ['another process has it', () => leave(ELSEWHERE)],
    ['its file was deleted', () => rm(path)],
  ])('stops its holder when %s, and is left alone', async (_, lose) => {
    const lock = await takeLock(path, { renewMs: 20, silentMs: 1000 });
    await lock.assertHeld();
    await lose();
    const left = await readFile(path, 'utf8').catch(() => undefined);
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
    expect(await readFile(path, 'utf8').catch(() => undefined)).toBe(left);
  });

  it('is noticed before the next write by a holder that was asleep when it should have renewed', async () => {
    const lock = await takeLock(path, { renewMs: 60_000, silentMs: 50 });
    await new Promise((resolve) => setTimeout(resolve, 60));
    await expect(lock.assertHeld()).rejects.toMatchObject({ code: 'lock-lost' });
    await lock.release();
  });
});

it.skipIf(process.getuid?.() === 0)('is given back in a folder that is read-only by then', async () => {
  const lock = await takeLock(path);
  await chmod(dirname(path), 0o500);
  await lock.release().finally(() => chmod(dirname(path), 0o700));
  await (await takeLock(path)).release();
  expect(await readdir(dirname(path))).toEqual([]);
});

it('says what stands in its way', async () => {
  await writeFile(dirname(path), 'a file where the folder should be');
  await expect(takeLock(path)).rejects.toMatchObject({ code: 'file-failed' });
});
