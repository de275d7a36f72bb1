import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { runCli, testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';

/** Documents that only files of the tool contain. */
const KEPT = ['websites.journal/2'];

test('version --format json lists the format of every document', async () => {
  const { stdout } = await runInProcess(['version', '--format', 'json'], await testFolder());
  const texts = readdirSync('src', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(`${entry.parentPath}/${entry.name}`, 'utf8'));
  const named = new Set(texts.join('\n').match(/(?<=')websites\.[a-z]+\/\d+(?=')/g));
  expect([...JSON.parse(stdout).formats, ...KEPT].sort()).toEqual([...named].sort());
});

test('version reads its output format from WEBSITES_FORMAT', async () => {
  const cwd = await testFolder();
  const { stdout } = await runCli(['version'], { cwd, env: { WEBSITES_FORMAT: 'json' } });
  expect(JSON.parse(stdout)).toMatchObject({ node: process.versions.node });
  expect((await runCli(['--version', '--format', 'json'], { cwd })).stdout).toBe(stdout);
  expect((await runCli(['--version'], { cwd, env: { WEBSITES_FORMAT: 'json' } })).stdout).toMatch(
    /^websites /,
  );
});
