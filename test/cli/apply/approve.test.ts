import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../support/cli.ts';
import { runInProcess } from '../../support/in-process.ts';
import { scripted } from '../../support/scripted-service.ts';

/** A folder whose last run was killed a moment ago, and one website that it knows nothing of. */
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
  '"%s" without a possible approval is refused before any wait for a killed run',
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
