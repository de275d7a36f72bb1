import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { refusal, testFolder } from '../../support/cli.ts';
import { runInProcess } from '../../support/in-process.ts';

test.each(['export', 'list', 'doctor', 'runs'])(
  '%s works without files, but a missing named file or an invalid file is an error',
  async (command) => {
    const folder = await testFolder();
    const run = (...flags: string[]) =>
      runInProcess([command, ...flags], folder, { WEBSITES_BASE_URL: 'local' });
    expect(await run()).toMatchObject({ code: 0 });
    const missing = refusal(1, 'websites explain config-missing');
    expect(await run('-f', 'no-such.yaml')).toMatchObject(missing);
    expect(await run('--target', 'two')).toMatchObject(missing);
    await writeFile(join(folder, 'websites.yaml'), 'nonsense: 1\n');
    expect(await run()).toMatchObject(refusal(1, 'explain config-invalid'));
  },
);
