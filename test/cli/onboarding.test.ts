/** The page on onboarding: its files are written, its commands run in a shell, and what they print compared. */
import { spawn } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { MAIN, testFolder } from '../support/cli.ts';
import { startTestService } from '../support/service.ts';

interface Block {
  readonly info: string;
  readonly body: string;
}

function blocksOf(page: string): Block[] {
  return Array.from(page.matchAll(/^```(.+)\n([\s\S]*?)^```$/gm), ([, info = '', body = '']) => ({
    info,
    body,
  }));
}

/** Each command of a console, with what it prints. */
function commandsOf(body: string): { command: string; printed: string }[] {
  return body
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = '', ...printed] = part.split('\n');
      return { command, printed: printed.join('\n') };
    });
}

test('every command of the page does what it says', async () => {
  const service = await startTestService();
  onTestFinished(() => service.close());
  const folder = await testFolder();
  await mkdir(join(folder, '.bin'));
  await writeFile(join(folder, '.bin/websites'), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`);
  await chmod(join(folder, '.bin/websites'), 0o755);
  const env = {
    PATH: `${join(folder, '.bin')}:${process.env.PATH}`,
    WEBSITES_BASE_URL: service.url,
    WEBSITES_API_KEY: service.key,
  };

  /** Both streams, as a terminal shows them. */
  const run = async (command: string): Promise<string> => {
    const child = spawn('sh', ['-c', `{ ${command}\n} 2>&1`], { cwd: folder, env });
    const ended = new Promise<number | null>((done) => child.once('close', done));
    const [printed, code] = await Promise.all([text(child.stdout), ended]);
    expect({ command, code, printed }).toMatchObject({ code: 0 });
    return printed;
  };

  for (const { info, body } of blocksOf(await readFile('docs/onboarding.md', 'utf8'))) {
    const [kind, name] = info.split(' ');
    if (kind === 'text' && name !== undefined) await writeFile(join(folder, name), body);
    else {
      expect(kind).toBe('console');
      for (const { command, printed } of commandsOf(body)) {
        expect({ command, printed: await run(command) }).toEqual({ command, printed });
      }
    }
  }
  expect(await service.records()).toHaveLength(6);
});
