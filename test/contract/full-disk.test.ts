/** Files, and the database of the embedded service, on a full disk. */
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runBuilt } from '../support/built.ts';
import { MAIN, testFolder } from '../support/cli.ts';
import { runProcess } from '../support/process.ts';
import { testService } from '../support/service.ts';

/** A few of these records fill a page of the database. */
function fileOf(count: number): string {
  const record = (index: number): string =>
    `  - { domain: s${index}.example, exclude_params: [${'x'.repeat(900)}] }\n`;
  return `service: { base_url: local }\nwebsites:\n${Array.from({ length: count }, (_, index) => record(index)).join('')}`;
}

test('on a full disk, apply exits with 4 and reports exactly the records that it stored', async () => {
  const cwd = await testFolder({ 'websites.yaml': fileOf(20) });
  expect(await runBuilt(['apply', '--auto-approve'], { cwd })).toMatchObject({ code: 0 });
  const { size } = await stat(join(cwd, '.websites', 'local.db'));
  await writeFile(join(cwd, 'websites.yaml'), fileOf(24));

  // Limits the size of each file. The log of the database accepts some writes that the database cannot.
  const websites = `ulimit -f ${size / 1024}; WEBSITES_MAX_FAILURES=1 "${process.execPath}" "${MAIN}"`;
  const apply = `${websites} apply --auto-approve --parallelism 1 --timeout 1s --format json`;
  const { code, text } = await runProcess('bash', ['-c', apply], { cwd, env: {} });
  expect(text).not.toMatch(/bug|^ +at /m);
  const [, created] = /"created": (\d+)/.exec(text) ?? [];
  expect({ code, created: Number(created) > 0 }).toEqual({ code: 4, created: true });

  expect(await runBuilt(['plan'], { cwd })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`${20 + Number(created)} unchanged`),
  });
});

test.each([
  ['no partial file', '', []],
  ['the file that --force would overwrite', '--force', ['websites.yaml']],
])('on a full disk, init exits with 1 and leaves %s', async (_, flag, left) => {
  const before = 'websites: [mine.example]\n';
  const cwd = await testFolder(flag === '' ? {} : { 'websites.yaml': before });
  const init = `ulimit -f 0; "${process.execPath}" "${MAIN}" init ${flag}`;
  const { code, text } = await runProcess('bash', ['-c', init], { cwd, env: {} });
  expect({ code, text }).toEqual({
    code: 1,
    text: expect.stringContaining('websites.yaml cannot be written'),
  });
  expect(await readdir(cwd)).toEqual(left);
  if (flag !== '') expect(await readFile(join(cwd, 'websites.yaml'), 'utf8')).toBe(before);
});

test('serve removes a key file that does not fit on the disk', async () => {
  const cwd = await testFolder();
  const serve = `ulimit -f 0; "${process.execPath}" "${MAIN}" serve --port 0`;
  const { code, text } = await runProcess('bash', ['-c', serve], { cwd, env: {} });
  expect({ code, text }).toEqual({ code: 1, text: expect.stringContaining('Cannot store the API key') });
  expect(await readdir(cwd)).toEqual([]);
});

test('apply exits with 1 and keeps old journals if its journal does not fit on the disk', async () => {
  const service = await testService();
  const cwd = await testFolder({ 'websites.yaml': fileOf(20) });
  const runs = join(cwd, '.websites', 'runs');
  await mkdir(runs, { recursive: true });
  for (let run = 100; run < 200; run += 1)
    await writeFile(join(runs, `20260101T000000.${run}Z-1a2b3c.ndjson`), '');
  const before = await readdir(runs);
  const apply = `ulimit -f 4; "${process.execPath}" "${MAIN}" apply --auto-approve`;
  const { env } = service;
  const { code, text } = await runProcess('bash', ['-c', apply], { cwd, env });
  expect({ code, text }).toEqual({ code: 1, text: expect.stringContaining('The journal in') });
  expect(await readdir(runs)).toEqual(before);
});
