/** A run whose output cannot be written continues, and reports it. */
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MAIN, testFolder } from '../support/cli.ts';
import { runProcess } from '../support/process.ts';
import { startScriptedService } from '../support/scripted-service.ts';

const COUNT = 30;
/** A number of websites with more events than fit into a pipe. */
const MANY = 400;
const fileOf = (count: number): string =>
  `websites:\n${Array.from({ length: count }, (_, index) => `  - site${index}.example\n`).join('')}`;

/** Runs a command of the shell, in which `websites` is the built program. */
async function runShell(command: string, count = COUNT) {
  const service = await startScriptedService();
  const cwd = await testFolder({ 'websites.yaml': fileOf(count) });
  const env = { ...service.env, PATH: process.env.PATH ?? '' };
  const script = `set -o pipefail; websites() { "${process.execPath}" "${MAIN}" "$@"; }; ${command}`;
  return { service, ...(await runProcess('bash', ['-c', script], { cwd, env })) };
}

describe.skipIf(!existsSync('/dev/full'))('commands report output that a full disk does not take', () => {
  const LOST = 'Error: Standard output cannot be written: no space left on device';

  test('plan exits with 1 if its output cannot be written', async () => {
    const { code, text } = await runShell('websites plan --detailed-exitcode > /dev/full');
    expect(code).toBe(1);
    expect(text).toContain(LOST);
    expect(text).not.toMatch(/^ +at |node:/m);
  });

  test('plan exits with 3 for a rejected key even if its output cannot be written', async () => {
    const { code, text } = await runShell('WEBSITES_API_KEY=no websites plan --format json > /dev/full');
    expect(code).toBe(3);
    expect(text).toContain(LOST);
  });

  test('version exits with 1 if its output cannot be written', async () => {
    const { code, text } = await runShell('websites version > /dev/full');
    expect(code).toBe(1);
    expect(text).toMatch(/^Error: Standard output cannot be written: no space left on device\.\n$/);
  });

  test.for(['human', 'json', 'ndjson'])('apply as %s finishes, then reports lost output', async (format) => {
    const { code, text, service } = await runShell(
      `websites apply --auto-approve --format ${format} > /dev/full`,
    );
    expect(code).toBe(1);
    expect(text.split(LOST)).toHaveLength(2);
    expect(text).not.toMatch(/^ +at |node:/m);
    expect(service.records()).toHaveLength(COUNT);
  });

  test('apply exits with 0 even if its messages on standard error cannot be written', async () => {
    expect(await runShell('websites apply --auto-approve 2> /dev/full')).toMatchObject({ code: 0 });
  });
});

test('apply continues if the reader of its output closes the pipe', async () => {
  const { code, text, service } = await runShell(
    'websites apply --auto-approve --format ndjson 2> /dev/null | head -c 10',
    MANY,
  );
  expect({ code, length: text.length }).toEqual({ code: 0, length: 10 });
  expect(service.records()).toHaveLength(MANY);
});

test('version prints no error if its reader closes the pipe', async () => {
  expect(await runShell('websites version | true')).toMatchObject({ code: 0, text: '' });
});
