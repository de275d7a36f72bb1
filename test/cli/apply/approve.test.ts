import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../support/cli.ts';
import { runInProcess } from '../../support/in-process.ts';
import { scripted } from '../../support/scripted-service.ts';

/** A directory whose last run was killed a moment ago; its file now declares one website more. */
async function afterKill() {
  const service = await scripted();
  const folder = await testFolder({ 'websites.yaml': 'websites: [a.example]\n' });
  const { env } = service;
  const run = (line: string) => runInProcess(line.split(' '), folder, env);
  await run('apply --auto-approve');
  const runs = join(folder, '.websites/runs');
  const [journal = ''] = (await readdir(runs)).map((name) => join(runs, name));
  const lines = (await readFile(journal, 'utf8')).trimEnd().split('\n');
  await writeFile(journal, `${lines.slice(0, -1).join('\n')}\n`);
  await writeFile(join(folder, 'websites.yaml'), 'websites: [a.example, b.example]\n');
  return run;
}

test.each(['undo --allow-deletes 1', 'apply'])(
  '"%s" without a terminal exits with 1 and does not wait for a killed run',
  async (command) => {
    const run = await afterKill();
    const { code, stderr } = await run(command);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('Cannot ask for confirmation: no interactive terminal.'),
    ]);
    expect(stderr).toMatch(/^Run \S+ was killed\.\n/);
    expect(stderr).not.toContain('Waiting');
  },
);
