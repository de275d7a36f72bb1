import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import type { Io } from '../../src/cli/io/io.ts';
import { runCommand } from '../../src/cli/start.ts';
import { systemClock } from '../../src/util/node/system-clock.ts';
import { testFolder } from '../support/cli.ts';
import { BARE_IO } from '../support/io.ts';
import { type ScriptedService, scripted } from '../support/scripted-service.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Confirms the prompt an hour after the plan is shown and after `meddle`; returns the exit code. */
async function answerLate(
  args: readonly string[],
  cwd: string,
  service: ScriptedService,
  meddle: () => void,
): Promise<number> {
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const stdin = new PassThrough();
  const out = (text: string): void => {
    if (!/Plan(?: \(undo of run \S+\))?:/.test(text)) return;
    const late = Date.now() + 3_600_000;
    vi.spyOn(systemClock, 'now').mockReturnValue(late);
    meddle();
    stdin.write('yes\r');
  };
  return runCommand(args, {
    ...BARE_IO,
    out,
    env: service.env,
    cwd,
    stdin: stdin as unknown as Io['stdin'],
    canAsk: true,
  });
}

test('apply confirmed late exits with 6 and writes nothing if the service changed meanwhile', async () => {
  const cwd = await testFolder({
    'websites.yaml':
      'prune: true\nwebsites: [b.example, c.example, { domain: new.example, privacy: public }]\n',
  });
  const records = ['old.example', 'b.example', 'c.example'];
  const service = await scripted({ dialect: { unique: false }, records });
  const code = await answerLate(['apply'], cwd, service, () => void service.insert('new.example'));
  expect(code).toBe(6);
  expect(service.records().map(({ domain }) => domain)).toEqual([...records, 'new.example']);
});

test('apply and undo accept a late confirmation if the service did not change meanwhile', async () => {
  const cwd = await testFolder({ 'websites.yaml': 'websites: [new.example]\n' });
  const service = await scripted();
  expect(await answerLate(['apply'], cwd, service, () => undefined)).toBe(0);
  expect(await answerLate(['undo', '--allow-deletes', '1'], cwd, service, () => undefined)).toBe(0);
  expect(service.records()).toEqual([]);
});
