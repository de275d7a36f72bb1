import { readFileSync } from 'node:fs';
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createAppender } from '../../src/journal/append.ts';
import { BEAT_MS } from '../../src/journal/heartbeat.ts';
import { lastUnfinished, listRuns } from '../../src/journal/list-runs.ts';
import { isOpenEnded, readJournal } from '../../src/journal/reader.ts';
import { journalPath, newRunId, nextRunId, openJournal, runIds } from '../../src/journal/writer.ts';
import type { Plan } from '../../src/model/plan.ts';
import { RUN_ID } from '../../src/model/run.ts';
import type { Seals } from '../../src/model/seal.ts';
import { createSeals } from '../../src/sync/seals.ts';
import { testFolder } from '../support/cli.ts';
import { NOW, newSites, planFor, shown, wanted } from '../support/plans.ts';
import { SEALS, TRUST } from '../support/seals.ts';

const AT = '2026-11-20T09:30:00Z';
const SUMMARY = { created: 1, updated: 0, deleted: 0, unchanged: 0, failed: 0, not_attempted: 0 };
const CLOSED = { at: AT, finished: true, stopped: null, converged: true, summary: SUMMARY };

const plan = planFor({
  desired: {
    websites: [
      wanted('a.example.com', { privacy: 2, password: { env: 'A_PASSWORD' } }),
      wanted('b.example.com', { exclude_ips: ['192.0.2.1'], favorited_at: null }),
      wanted('c.example.com', {}, 3, { state: 'absent' }),
    ],
  },
  current: {
    websites: [
      shown('b.example.com', 2, { exclude_ips: [], favorited_at: true }),
      shown('c.example.com', 3, { privacy: 1 }),
    ],
  },
});
const [create, update, remove] = plan.changes as [Plan['changes'][0], Plan['changes'][0], Plan['changes'][0]];

let folder: string;
beforeEach(async () => {
  folder = join(await testFolder(), '.websites', 'runs');
});

let moment = NOW;
/** The id of a run that is later than all before. */
function nextRun(): string {
  moment += 1;
  return newRunId(moment);
}

async function record(
  run: string,
  options: { closed?: typeof CLOSED; continues?: string; of?: Plan; seals?: Seals } = {},
) {
  const { closed, of = plan, ...more } = options;
  const journal = await openJournal(folder, { seals: SEALS, run, at: AT, plan: of, ...more });
  await journal.begin([{ index: 0, change: create }], AT);
  journal.end(0, create, 'done', { id: '9' });
  await journal.begin([{ index: 1, change: update }], AT);
  await journal.close(closed);
}

/** What all files that are open have in common. */
async function anyFile(): Promise<FileHandle> {
  const file = await open(join(await testFolder(), 'any'), 'ax');
  await file.close();
  return Object.getPrototypeOf(file);
}

describe('a run that is written down', () => {
  it('has an id after those of all runs before, where the clock was put back too', async () => {
    const timeOf = (run: string): string => run.slice(0, 19);
    const times: string[] = [];
    for (const now of [NOW, NOW - 3_600_000, NOW - 3_600_000, NOW + 3_600_000]) {
      const run = await nextRunId(folder, now);
      expect(run).toMatch(RUN_ID);
      await record(run);
      times.push(timeOf(run));
    }
    expect(times).toEqual([NOW, NOW + 1, NOW + 2, NOW + 3_600_000].map((now) => timeOf(newRunId(now))));
  });

  it('shows by its time of change that it is at work, whether it writes or not', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const run = nextRun();
    const journal = await openJournal(folder, { seals: SEALS, run, at: AT, plan });
    const path = journalPath(folder, run);
    await utimes(path, 1, 1);
    vi.advanceTimersByTime(BEAT_MS);
    await journal.close();
    const { mtimeMs } = await stat(path);
    expect(Math.abs(Date.now() - mtimeMs)).toBeLessThan(60_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is read back as it was: the plan, and what became of each change', async () => {
    const run = nextRun();
    const settled = new Map([[2, undefined]]);
    const journal = await openJournal(folder, {
      seals: SEALS,
      run,
      at: AT,
      plan,
      settled,
      doubtful: new Set([1]),
    });
    await journal.begin([{ index: 0, change: create }], AT);
    journal.end(0, create, 'done', { id: '9' });
    await journal.begin([{ index: 1, change: update }], AT);
    journal.end(1, update, 'unknown', { message: 'no answer' });
    await journal.close(CLOSED);
    expect(await readJournal(folder, run, TRUST)).toEqual({
      run,
      at: AT,
      service: plan.service,
      planned: { create: 1, update: 1, delete: 1 },
      closed: { entry: 'closed', ...CLOSED },
      finished: true,
      sealed: true,
      sealedEntries: 7,
      plan,
      settled,
      doubtful: new Set([1]),
      begun: new Set([0, 1]),
      ended: new Map([
        [0, { fate: 'done', id: '9' }],
        [1, { fate: 'unknown', message: 'no answer' }],
      ]),
      owed: [],
      sideEffects: [],
    });
  });

  it('is for the eyes of its owner, and holds references in the place of secrets', async () => {
    const run = nextRun();
    await record(run);
    const modeOf = async (at: string): Promise<number> => (await stat(at)).mode & 0o777;
    expect(await modeOf(journalPath(folder, run))).toBe(0o600);
    expect(await modeOf(folder)).toBe(0o700);
    expect(await readFile(journalPath(folder, run), 'utf8')).toContain(
      '{"ref":{"env":"A_PASSWORD"},"sensitive":true}',
    );
  });

  it('is on the disk, opening and beginning, before anything may be sent', async () => {
    const run = nextRun();
    const linesOf = (): string[] =>
      readFileSync(journalPath(folder, run), 'utf8')
        .split('\n')
        .map((line) => line.slice(0, 17));
    const synced: string[][] = [];
    const files = await anyFile();
    const [sync, naming] = [vi.spyOn(files, 'datasync'), vi.spyOn(files, 'sync')];
    onTestFinished(() => {
      sync.mockRestore();
      naming.mockRestore();
    });
    sync.mockImplementation(async () => void synced.push(linesOf()));
    const journal = await openJournal(folder, { seals: SEALS, run, at: AT, plan });
    const opening = ['{"entry":"opened"', '{"entry":"planned', ''];
    expect(synced).toEqual([opening]);
    // Its name in the folder is on the disk too.
    expect(naming).toHaveBeenCalledTimes(1);
    await journal.begin([{ index: 2, change: remove }], AT);
    expect(synced).toEqual([opening, [...opening.slice(0, -1), '{"entry":"begun",', '']]);
    await journal.close();
    await journal.close();
  });

  it('has an id that sorts by time and is safe as a file name', () => {
    const ids = [0, 1, 999, 1000, NOW].map(newRunId);
    expect([...ids].sort()).toEqual(ids);
    for (const id of ids) expect(id).toMatch(RUN_ID);
    expect('../../etc/passwd').not.toMatch(RUN_ID);
  });

  it('leaves the newest hundred runs, and files that are no journals', async () => {
    await mkdir(folder, { recursive: true });
    const old = Array.from({ length: 120 }, nextRun);
    for (const run of old) await writeFile(journalPath(folder, run), '');
    await rest();
    await writeFile(join(folder, 'notes.ndjson'), 'mine');
    const run = nextRun();
    await record(run);
    const names = (await readdir(folder)).sort();
    expect(names).toEqual([...old.slice(-99), run, 'notes'].map((name) => `${name}.ndjson`).sort());
  });

  it('cannot begin with a plan that is longer than a text can be, and leaves nothing behind', async () => {
    const endless = {
      toJSON() {
        throw new RangeError('Invalid string length');
      },
    };
    const long = { ...plan, warnings: endless as never };
    await expect(
      openJournal(folder, { seals: SEALS, run: nextRun(), at: AT, plan: long }),
    ).rejects.toMatchObject({
      code: 'file-failed',
      message: expect.stringContaining('the plan is too large.'),
      remedy: expect.stringContaining('--group'),
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it('cannot begin where it cannot be written', async () => {
    await mkdir(join(folder, '..'), { recursive: true });
    await writeFile(folder, '');
    const opening = openJournal(folder, { seals: SEALS, run: nextRun(), at: AT, plan });
    await expect(opening).rejects.toMatchObject({ code: 'file-failed', remedy: expect.any(String) });
  });

  /** Has the disk fail once, as soon as it is asked to hold what was written. */
  async function failOnce(): Promise<void> {
    const failing = vi.spyOn(await anyFile(), 'datasync');
    onTestFinished(() => failing.mockRestore());
    failing.mockRejectedValueOnce(new Error('EIO: i/o error'));
  }

  it('cannot begin where what it opens with does not get to the disk', async () => {
    await failOnce();
    await expect(openJournal(folder, { seals: SEALS, run: nextRun(), at: AT, plan })).rejects.toMatchObject({
      code: 'file-failed',
      message: expect.stringContaining('EIO'),
    });
    expect(await readdir(folder)).toEqual([]);
  });

  it('says so where its last entry does not get to the disk', async () => {
    const journal = await openJournal(folder, { seals: SEALS, run: nextRun(), at: AT, plan });
    await failOnce();
    await expect(journal.close(CLOSED)).rejects.toMatchObject({
      code: 'file-failed',
      message: expect.stringContaining('EIO'),
    });
  });
});

describe('appending', () => {
  it('lets lines that come together share one write and one sync', async () => {
    const file = await open(join(await testFolder(), 'log'), 'ax+');
    const [written, synced] = [vi.spyOn(file, 'appendFile'), vi.spyOn(file, 'datasync')];
    const appender = createAppender(file);
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    await Promise.all(lines.map((line) => appender.append(line, true)));
    expect([written.mock.calls.length, synced.mock.calls.length]).toEqual([1, 1]);
    expect(written.mock.calls[0]?.[0]).toBe(`${lines.join('\n')}\n`);
    await appender.close();
  });

  it('lets a line that needs no sync wait for one that does, and not for ever', async () => {
    const path = join(await testFolder(), 'log');
    const file = await open(path, 'ax+');
    const [written, synced] = [vi.spyOn(file, 'appendFile'), vi.spyOn(file, 'datasync')];
    const appender = createAppender(file);
    await Promise.all([appender.append('first', false), appender.append('second', true)]);
    expect([written.mock.calls.length, synced.mock.calls.length]).toEqual([1, 1]);
    await appender.append('third', false);
    expect([written.mock.calls.length, synced.mock.calls.length]).toEqual([2, 1]);
    const last = appender.append('fourth', false);
    await appender.close();
    await last;
    expect(await readFile(path, 'utf8')).toBe('first\nsecond\nthird\nfourth\n');
    expect(file.fd).toBe(-1);
  });

  it('fails where the disk does not say that it has a line', async () => {
    const file = await open(join(await testFolder(), 'log'), 'ax+');
    const appender = createAppender(file);
    vi.spyOn(file, 'datasync').mockRejectedValueOnce(new Error('EIO: i/o error'));
    await expect(appender.append('first', true)).rejects.toThrow('EIO');
    await expect(appender.append('second', true)).rejects.toThrow('EIO');
    await appender.close();
  });

  it('may fail where nobody waits for a line', async () => {
    const unheard = vi.fn();
    process.on('unhandledRejection', unheard);
    onTestFinished(() => void process.off('unhandledRejection', unheard));
    const file = await open(join(await testFolder(), 'log'), 'ax+');
    const appender = createAppender(file);
    const full = vi.spyOn(file, 'appendFile').mockRejectedValueOnce(new Error('ENOSPC: no space left'));
    void appender.append('first', false);
    await expect.poll(() => full.mock.settledResults[0]?.type).toBe('rejected');
    await new Promise(setImmediate);
    expect(unheard).not.toHaveBeenCalled();
    await appender.close();
  });

  it('fails for good once a write has failed: nothing follows a line that may be cut', async () => {
    const path = join(await testFolder(), 'log');
    const file = await open(path, 'ax+');
    const appender = createAppender(file);
    await appender.append('first', true);
    const full = vi.spyOn(file, 'appendFile').mockRejectedValueOnce(new Error('ENOSPC: no space left'));
    await expect(appender.append('second', true)).rejects.toThrow('ENOSPC');
    await expect(appender.append('third', false)).rejects.toThrow('ENOSPC');
    await expect(appender.append('fourth', true)).rejects.toThrow('ENOSPC');
    expect(full).toHaveBeenCalledTimes(1);
    await appender.close();
    expect(await readFile(path, 'utf8')).toBe('first\n');
  });
});

/** Lets a minute pass since the runs there, or those chosen, were at work. */
async function rest(isChosen: (run: string) => boolean = () => true): Promise<void> {
  const then = Date.now() / 1000 - 61;
  for (const run of (await runIds(folder)).filter(isChosen))
    await utimes(journalPath(folder, run), then, then);
}

describe('the runs that there were', () => {
  it('are listed oldest first, with how they ended', async () => {
    const [first, second] = [nextRun(), nextRun()];
    await record(first, { closed: CLOSED });
    await record(second, { continues: first });
    const info = {
      at: AT,
      service: plan.service,
      plan: plan.digest,
      planned: { create: 1, update: 1, delete: 1 },
    };
    expect(await listRuns(folder)).toEqual([
      { run: first, ...info, closed: { entry: 'closed', ...CLOSED }, finished: true },
      { run: second, continues: first, ...info, finished: false },
    ]);
  });

  it('are none where there is no folder yet', async () => {
    expect(await listRuns(folder)).toEqual([]);
  });

  it('are listed however large the plan, and however the last line was cut', async () => {
    const many = planFor({
      desired: { websites: Array.from({ length: 2000 }, (_, index) => wanted(`site-${index}.example.com`)) },
    });
    const run = nextRun();
    const journal = await openJournal(folder, { seals: SEALS, run, at: AT, plan: many });
    await journal.close(CLOSED);
    expect((await listRuns(folder)).map(({ finished }) => finished)).toEqual([true]);
    const { size } = await stat(journalPath(folder, run));
    await truncate(journalPath(folder, run), size - 5);
    expect((await listRuns(folder)).map(({ finished }) => finished)).toEqual([false]);
  });

  it('leave one out that was cut off before its plan: nothing was sent', async () => {
    const run = nextRun();
    await record(run);
    const text = await readFile(journalPath(folder, run), 'utf8');
    for (const length of [0, 50, text.indexOf('\n') + 1, text.indexOf('\n') + 200]) {
      await truncate(journalPath(folder, run), length);
      await writeFile(journalPath(folder, run), text.slice(0, length));
      expect(await listRuns(folder)).toEqual([]);
    }
  });

  it('leave one out that another run removes meanwhile', async () => {
    const run = nextRun();
    await record(run);
    // As such a file is: it has a name, and is not there to be opened.
    await symlink('nowhere', journalPath(folder, nextRun()));
    expect((await listRuns(folder)).map((info) => info.run)).toEqual([run]);
  });

  it('are kept beyond that while they are, or just were, at work: what was sent is known by nothing else', async () => {
    const live = nextRun();
    await record(live);
    for (let count = 0; count < 100; count += 1) await record(nextRun());
    await rest((run) => run !== live);
    await record(nextRun());
    const runs = await runIds(folder);
    expect(runs).toHaveLength(101);
    expect(runs[0]).toBe(live);
    await rest();
    await record(nextRun());
    expect(await runIds(folder)).not.toContain(live);
  });

  it('name as unfinished the last that left something, on this service, and that none goes on with', async () => {
    const left = { ...CLOSED, finished: false, summary: { ...SUMMARY, not_attempted: 1 } };
    const find = () => lastUnfinished(folder, plan.service, SEALS);
    expect(await find()).toBeUndefined();
    const stopped = nextRun();
    await record(stopped, { closed: left });
    await record(nextRun(), { of: { ...plan, service: { ...plan.service, base_url: 'https://b.example' } } });
    expect(await find()).toMatchObject({ info: { run: stopped, sealed: true } });
    const [killed, resumed, finished] = [nextRun(), nextRun(), nextRun()];
    await record(killed);
    expect(await find()).toMatchObject({ info: { run: killed } });
    await record(resumed, { continues: killed });
    expect(await find()).toMatchObject({ info: { run: resumed } });
    expect(await find()).not.toHaveProperty('later');
    await record(finished, { closed: CLOSED, continues: resumed });
    expect(await find()).toMatchObject({ info: { run: stopped }, later: killed });
  });

  it('say which run came after the last unfinished one, whatever that was and whoever wrote it', async () => {
    const find = () => lastUnfinished(folder, plan.service, SEALS);
    const of = (options: Partial<Plan['options']>, more: Partial<Plan> = {}): Plan => ({
      ...plan,
      ...more,
      options: { ...plan.options, ...options },
    });
    const [killed, selected, later] = [nextRun(), nextRun(), nextRun()];
    await record(killed);
    expect(await find()).toEqual({ info: expect.objectContaining({ run: killed }) });
    await record(selected, { of: of({ domain: ['b.example'] }), closed: CLOSED });
    expect(await find()).toMatchObject({ info: { run: killed }, later: selected });
    await record(later, { closed: CLOSED, seals: createSeals('another key', plan.service.base_url) });
    expect(await find()).toMatchObject({ info: { run: killed }, later: selected });
    const open = nextRun();
    await record(open);
    const undo = nextRun();
    await record(undo, { of: of({ undoes: open }), closed: CLOSED });
    expect(await find()).toMatchObject({ info: { run: open }, later: undo });
    await record(nextRun(), { seals: createSeals('another key', plan.service.base_url) });
    expect(await find()).toMatchObject({ info: { sealed: false } });
  });
});

describe('a sealed journal', () => {
  let run: string;
  let lines: string[];
  beforeEach(async () => {
    run = nextRun();
    await record(run, { closed: CLOSED });
    lines = (await readFile(journalPath(folder, run), 'utf8')).trimEnd().split('\n');
  });

  const rewrite = (text: string): Promise<void> => writeFile(journalPath(folder, run), text);
  const infoOf = async () => (await listRuns(folder, SEALS)).find((info) => info.run === run);

  it('bears a seal on each line, over its run, the seal of the line before and the line without its own', () => {
    let before = '';
    for (const line of lines) {
      const { seal, ...entry } = JSON.parse(line);
      expect(line.endsWith(`,"seal":"${seal}"}`)).toBe(true);
      expect(seal).toBe(SEALS.of('journal', `${run}\n${before}\n${JSON.stringify(entry)}`));
      before = seal;
    }
  });

  it('is read up to the line that was cut, wherever that was, or that is the last one left', async () => {
    for (let count = 2; count < lines.length; count += 1) {
      const whole = lines.slice(0, count).join('\n');
      const next = lines[count] ?? '';
      for (const rest of ['', '\n', `\n${next.slice(0, -1)}`, `\n${next.slice(0, 40)}`]) {
        await rewrite(whole + rest);
        expect(await readJournal(folder, run, TRUST)).toMatchObject({
          sealed: true,
          sealedEntries: count,
          finished: false,
          begun: new Set([[], [0], [0], [0, 1]][count - 2]),
        });
      }
    }
  });

  it.each<[what: string, spoil: (line: string) => string[]]>([
    ['altered', (line) => [line.replace('"9"', '"8"')]],
    ['without a seal', (line) => [line.replace(/,"seal":.*/, '}')]],
    ['left out', () => []],
    ['there twice', (line) => [line, line]],
    ['no JSON', () => ['{']],
    [
      'one that somebody added before',
      (line) => ['{"entry":"ended","index":2,"domain":"c.example.com","fate":"done"}', line],
    ],
  ])('is believed up to a line that is %s, and has no end', async (_, spoil) => {
    const at = lines.findIndex((line) => line.includes('"ended"'));
    await rewrite(
      `${[...lines.slice(0, at), ...spoil(lines[at] ?? ''), ...lines.slice(at + 1)].join('\n')}\n`,
    );
    const recorded = await readJournal(folder, run, TRUST);
    expect(recorded.sealedEntries).toBeLessThanOrEqual(at + 1);
    expect(recorded).toMatchObject({ sealed: true, finished: false, begun: new Set([0]) });
    expect(recorded.ended.has(2)).toBe(false);
    expect(isOpenEnded(recorded)).toBe(true);
  });

  it('is believed up to its end, whatever somebody added', async () => {
    await rewrite(
      `${[...lines, '{"entry":"begun","index":2,"domain":"c.example.com","at":"now"}'].join('\n')}\n`,
    );
    const recorded = await readJournal(folder, run, TRUST);
    expect(recorded).toMatchObject({ finished: true, begun: new Set([0, 1]) });
    expect(isOpenEnded(recorded)).toBe(false);
  });

  it.each<[what: string, spoil: () => Promise<string[]>]>([
    ['its first line', async () => lines.with(0, (lines[0] ?? '').replace('"delete":1', '"delete":0'))],
    ['its plan', async () => lines.with(1, (lines[1] ?? '').replace('192.0.2.1', '192.0.2.2'))],
    ['its run', async () => lines.map((line) => line.replaceAll(run, nextRun()))],
    ['all of its seals', async () => lines.map((line) => line.replace(/,"seal":.*/, '}'))],
    [
      'its plan, which is that of another run',
      async () => {
        const other = nextRun();
        await record(other);
        return lines.with(1, (await readFile(journalPath(folder, other), 'utf8')).split('\n')[1] ?? '');
      },
    ],
  ])('is not believed where somebody altered %s', async (_, spoil) => {
    await rewrite(`${(await spoil()).join('\n')}\n`);
    await expect(readJournal(folder, run, { ...TRUST, remedy: 'do so' })).rejects.toMatchObject({
      code: 'seal-invalid',
      exit: 1,
      remedy: 'do so',
    });
  });

  it('is not believed with another key', async () => {
    const seals = createSeals('another key', plan.service.base_url);
    await expect(readJournal(folder, run, { seals })).rejects.toMatchObject({ code: 'seal-invalid' });
    expect(await infoOf()).toMatchObject({ sealed: true });
    expect(await listRuns(folder, seals)).toMatchObject([{ run, sealed: false }]);
  });

  it('is listed without an end that is not believed', async () => {
    expect(await infoOf()).toMatchObject({ sealed: true, finished: true });
    await rewrite(
      `${lines.with(-1, (lines.at(-1) ?? '').replace('"created":1', '"created":2')).join('\n')}\n`,
    );
    expect(await infoOf()).toMatchObject({ sealed: true, finished: false });
    await rewrite(
      `${lines.with(-2, (lines.at(-2) ?? '').replace(/"seal":"..../, '"seal":"0000')).join('\n')}\n`,
    );
    expect(await infoOf()).toMatchObject({ sealed: true, finished: false });
  });

  it('has a plan of any length between its ends', async () => {
    const many = planFor({ desired: { websites: newSites(2000) } });
    const journal = await openJournal(folder, { run: nextRun(), at: AT, plan: many, seals: SEALS });
    await journal.close(CLOSED);
    expect((await listRuns(folder, SEALS)).at(-1)).toMatchObject({ sealed: true, finished: true });
  });

  it('keeps what was said yes to when it was applied', async () => {
    const [given, none] = [nextRun(), nextRun()];
    const allow = { empty: false, deletes: 7 };
    await (await openJournal(folder, { run: given, at: AT, plan, seals: SEALS, allow })).close();
    await (await openJournal(folder, { run: none, at: AT, plan, seals: SEALS })).close();
    expect((await readJournal(folder, given, TRUST)).allow).toEqual(allow);
    expect((await readJournal(folder, none, TRUST)).allow).toBeUndefined();
  });
});

/** Reading that checks no seals. */
const SHOWN = { seals: undefined };

describe('a damaged journal, where its seals are not looked at', () => {
  let run: string;
  let lines: string[];
  beforeEach(async () => {
    run = nextRun();
    await record(run, { closed: CLOSED });
    lines = (await readFile(journalPath(folder, run), 'utf8')).trimEnd().split('\n');
  });

  const rewrite = (text: string): Promise<void> => writeFile(journalPath(folder, run), text);

  it('is read without a last line that was cut, wherever that was', async () => {
    const whole = lines.slice(0, -1).join('\n');
    const last = lines.at(-1) ?? '';
    for (let length = 0; length < last.length; length += 7) {
      await rewrite(`${whole}\n${last.slice(0, length)}`);
      expect(await readJournal(folder, run, SHOWN)).toMatchObject({
        begun: new Set([0, 1]),
        finished: false,
      });
    }
  });

  it('names file and line of a last one that is damaged and was not cut', async () => {
    const last = (lines.at(-1) ?? '').replace('closed', 'opaque');
    await rewrite(`${lines.with(-1, last).join('\n')}\n`);
    await expect(readJournal(folder, run, SHOWN)).rejects.toThrow(`${run}.ndjson:${lines.length}: `);
  });

  it.each([
    ['cut', (line: string) => line.slice(0, -4), 'it is not valid JSON'],
    ['of a kind that a newer version may know', () => '{"entry":"guessed"}', 'entry'],
    ['without its index', () => '{"entry":"begun","domain":"a.example.com","at":"now"}', 'index'],
    [
      'about another plan',
      () => '{"entry":"begun","index":7,"domain":"x.example","at":"now"}',
      'no such change',
    ],
  ])('names file and line where one in the middle is %s', async (_, spoil, reason) => {
    await rewrite(lines.with(2, spoil(lines[2] ?? '')).join('\n'));
    await expect(readJournal(folder, run, SHOWN)).rejects.toMatchObject({
      code: 'file-failed',
      message: expect.stringContaining(`${run}.ndjson:3: `),
      remedy: expect.stringMatching(
        /^If a newer version wrote it, use that version. Otherwise move the file away/,
      ),
      place: { file: journalPath(folder, run), line: 3, column: 1 },
    });
    await expect(readJournal(folder, run, SHOWN)).rejects.toThrow(reason);
  });

  it.each([
    [
      'its plan was altered',
      (line: string) => line.replace('192.0.2.1', '192.0.2.2'),
      ':2: plan: its digest',
    ],
    [
      'its plan has no shape',
      (line: string) => line.replace('"action":"create"', '"action":"conjure"'),
      ':2: plan.changes.0.action',
    ],
  ])('is refused where %s', async (_, spoil, reason) => {
    await rewrite(lines.with(1, spoil(lines[1] ?? '')).join('\n'));
    await expect(readJournal(folder, run, SHOWN)).rejects.toThrow(reason);
  });

  it('is refused where its version is not known, and is not to be moved away', async () => {
    const otherVersion = (line: number, format: string) => ({
      message: expect.stringMatching(`of another version at .*:${line}: it is "websites.${format}/2"`),
      remedy: 'Use the version that wrote it.',
    });
    await rewrite(lines.with(0, (lines[0] ?? '').replace('journal/1', 'journal/2')).join('\n'));
    await expect(readJournal(folder, run, SHOWN)).rejects.toMatchObject(otherVersion(1, 'journal'));
    await expect(listRuns(folder)).rejects.toMatchObject(otherVersion(1, 'journal'));
    await rewrite(lines.with(1, (lines[1] ?? '').replace('plan/1', 'plan/2')).join('\n'));
    await expect(readJournal(folder, run, SHOWN)).rejects.toMatchObject(otherVersion(2, 'plan'));
  });

  it('is refused where it has the name of another run', async () => {
    const other = nextRun();
    await rename(journalPath(folder, run), journalPath(folder, other));
    for (const read of [() => listRuns(folder), () => readJournal(folder, other, SHOWN)]) {
      await expect(read()).rejects.toMatchObject({
        code: 'file-failed',
        message: expect.stringContaining(`${journalPath(folder, other)}:1: it belongs to run ${run}`),
      });
    }
  });

  it('is refused where that of another run follows in it', async () => {
    await rewrite(`${[...lines, ...lines].join('\n')}\n`);
    await expect(readJournal(folder, run, SHOWN)).rejects.toThrow(
      `:${lines.length + 1}: another run begins here`,
    );
  });

  it('is refused where it has no plan, or does not begin as it must', async () => {
    await rewrite(`${lines[0]}\n`);
    await expect(readJournal(folder, run, SHOWN)).rejects.toThrow(':2: it contains no plan');
    await rewrite(`${lines.slice(1).join('\n')}\n`);
    await expect(readJournal(folder, run, SHOWN)).rejects.toThrow(':1: a journal begins with "opened"');
  });
});

it.each([['20260101T000000.000Z-abcdef'], ['../elsewhere'], ['']])(
  'says that there is no run %j',
  async (run) => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, '../elsewhere.ndjson'), 'no journal of this folder');
    await expect(readJournal(folder, run, TRUST)).rejects.toMatchObject({ code: 'run-missing' });
  },
);

it('says that the runs cannot be read: that is not that there are none', async () => {
  await mkdir(join(folder, '..'), { recursive: true });
  await writeFile(folder, 'a file where the folder should be');
  await expect(listRuns(folder)).rejects.toMatchObject({
    code: 'file-failed',
    remedy: expect.stringContaining('readable'),
  });
});

it('says that a journal cannot be read', async () => {
  const run = nextRun();
  await mkdir(journalPath(folder, run), { recursive: true });
  await expect(readJournal(folder, run, TRUST)).rejects.toMatchObject({ code: 'file-failed' });
  await expect(listRuns(folder)).rejects.toMatchObject({ code: 'file-failed' });
});
