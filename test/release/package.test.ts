import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import { runProcess } from '../support/process.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const start = promisify(execFile);

/** The package must contain nothing else. */
const ALLOWED = [
  /^package\.json$/,
  /^(?:README|CHANGELOG|CONTRIBUTING|SECURITY)\.md$/,
  // Excludes files that a run writes into an example.
  /^examples\/[\w-]+(?:\/(?:targets|sites|staging|production)){0,2}\/\.?[\w-]+(?:\.(?:md|mjs|csv|jq|rego|ya?ml))?$/,
  /^LICENSE$/,
  /^docs\/(?:contributing\/)?[\w-]+\.md$/,
  /^docs\/(?:openapi\.json|plan\.svg)$/,
  /^docs\/decisions\/(?:README|\d{4}-[a-z-]+)\.md$/,
  /^schema\/[\w.-]+\.schema\.json$/,
  /^dist\/main\.js$/,
  /^dist\/THIRD-PARTY-LICENSES\.txt$/,
  /^dist\/sbom\.cdx\.json$/,
  /^dist\/(?:library\/)?chunks\/[\w-]+\.js$/,
  /^dist\/library\/index\.js$/,
  /^dist\/library\/types\/[\w/-]+\.d\.ts$/,
];

test('the package contains the allowed files only', async () => {
  const { stdout } = await start('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT });
  const [{ files }] = JSON.parse(stdout) as [{ files: { path: string }[] }];
  const paths = files.map(({ path }) => path);
  for (const needed of [
    'dist/main.js',
    'dist/library/index.js',
    'dist/sbom.cdx.json',
    'README.md',
    'LICENSE',
  ])
    expect(paths).toContain(needed);
  expect(paths).toContain('CHANGELOG.md');
  expect(paths).toContain('schema/websites.schema.json');
  expect(paths.filter((path) => !ALLOWED.some((pattern) => pattern.test(path)))).toEqual([]);
});

test('the package runs when installed into an empty directory', { timeout: 120_000 }, async () => {
  const { stdout } = await start(process.execPath, ['scripts/try-package.mjs', '--node', 'current'], {
    cwd: ROOT,
  });
  expect(stdout).toContain(`Node ${process.version}: installed, and the demo works.`);
});

test('the release notes of a tag are its section of the changelog', async () => {
  const folder = await testFolder({
    'package.json': '{ "version": "1.2.0" }',
    'CHANGELOG.md':
      '# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - 2026-01-31\n\n### Added\n\n- This.\n\n## [1.1.0]\n\n- That.\n',
  });
  const notesOf = (tag: string) =>
    runProcess(process.execPath, [resolve(ROOT, 'scripts/release-notes.mjs'), tag], { cwd: folder, env: {} });
  expect(await notesOf('v1.2.0')).toEqual({ code: 0, text: '### Added\n\n- This.\n' });
  expect(await notesOf('v1.1.0')).toMatchObject({
    code: 1,
    text: expect.stringContaining('package.json has'),
  });
  writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## [1.1.0]\n\n- That.\n');
  expect(await notesOf('v1.2.0')).toMatchObject({ code: 1, text: expect.stringContaining('no part') });
});
