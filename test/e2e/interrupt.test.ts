/** Interrupts the tool before it could have changed anything. */
import { execFileSync } from 'node:child_process';
import { closeSync, constants, existsSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startCli, testFolder } from '../support/cli.ts';
import { setPlace } from '../support/place.ts';
import { git } from '../support/scratch-repo.ts';

const FILE = 'version: 1\nwebsites: [a.example]\n';

const NOTHING = { code: 130, stdout: '', stderr: '\nInterrupted: no website was changed.\n' };

/** A command that waits for the response to its first request. */
async function hanging(line: string) {
  const place = await setPlace(FILE, { faults: () => ({ kind: 'hang', when: 'before' }) });
  const { child, ended } = place.start(line);
  while (place.service.requests.length === 0) await delay(5);
  return { ...place, child, ended };
}

test.each([
  ['plan', 'SIGINT'],
  ['apply', 'SIGTERM'],
  ['export', 'SIGINT'],
] as const)('%s exits with 130 and reports no change after %s while it lists', async (command, signal) => {
  const { child, ended } = await hanging(command);
  child.kill(signal);
  expect(await ended).toEqual(NOTHING);
});

test('SIGUSR1 does not open a debugger or end the program', async () => {
  const { child, ended } = await hanging('plan');
  child.kill('SIGUSR1');
  await delay(200);
  child.kill('SIGTERM');
  expect(await ended).toEqual(NOTHING);
});

test('apply leaves no run lock if it is interrupted before its prompt', async () => {
  const { folder, child, ended } = await hanging('apply');
  const locks = join(folder, '.websites/locks');
  expect(readdirSync(locks)).toHaveLength(1);
  child.kill('SIGTERM');
  await ended;
  expect(readdirSync(locks)).toEqual([]);
});

test('apply does not print "no website was changed" if a second interrupt ends a write', async () => {
  const { service, start } = await setPlace(FILE, {
    faults: ({ method }) => (method === 'POST' ? { kind: 'hang', when: 'after' } : undefined),
  });
  const { child, ended } = start('apply --auto-approve');
  while (service.records().length === 0) await delay(5);
  child.kill('SIGINT');
  await delay(300);
  child.kill('SIGINT');
  const { code, stderr } = await ended;
  expect(code).toBe(130);
  expect(stderr).toContain('Interrupted: finishing');
  expect(stderr).not.toContain('no website was changed');
});

/** Opens the writing end of a named pipe as soon as a process reads from it. */
async function openedByReader(path: string): Promise<number> {
  for (;;) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
      await delay(20);
    }
  }
}

test.each(['SIGINT', 'SIGTERM'] as const)('a command waiting for a pipe ends after %s', async (signal) => {
  const cwd = await testFolder({});
  const path = join(cwd, 'pipe');
  execFileSync('mkfifo', [path]);
  const { child, ended } = startCli(['show', 'pipe'], { cwd });
  // Wait until the program has opened the pipe: an earlier signal would end it without a message.
  const pipe = await openedByReader(path);
  onTestFinished(() => closeSync(pipe));
  child.kill(signal);
  expect(await ended).toEqual(NOTHING);
});

test('an interrupt of plan --since ends Git and removes its temporary files', async () => {
  const cwd = await testFolder({ 'websites.yaml': FILE, '.gitattributes': '*.yaml filter=slow\n' });
  const [tmp, begun] = [join(cwd, 'tmp'), join(cwd, 'begun')];
  mkdirSync(tmp);
  git(cwd, 'init', '--quiet');
  git(cwd, 'add', 'websites.yaml', '.gitattributes');
  git(cwd, 'commit', '--quiet', '--message', 'First');
  git(cwd, 'config', 'filter.slow.smudge', `touch '${begun}'; sleep 3; cat`);
  const running = startCli(['plan', '--since', 'HEAD'], { cwd, env: { TMPDIR: tmp } });
  while (!existsSync(begun)) await delay(10);
  expect(readdirSync(tmp)).toHaveLength(1);
  running.child.kill('SIGTERM');
  expect(await running.ended).toMatchObject({ code: 130 });
  await delay(100);
  expect(readdirSync(tmp)).toEqual([]);
});
