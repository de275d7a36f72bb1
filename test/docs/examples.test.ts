import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runBuilt } from '../support/built.ts';
import { testFolder } from '../support/cli.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../examples');

/** Examples of several files. */
const FLAGS: Readonly<Record<string, readonly string[]>> = { team: ['-f', 'base.yaml', '-f', 'sites/'] };

/** Targets to apply; all targets are validated. */
const TARGETS: Readonly<Record<string, readonly string[]>> = { targets: ['staging', 'production'] };

/** Skips examples of pipelines. */
const names = readdirSync(EXAMPLES).filter(
  (name) => name in FLAGS || existsSync(join(EXAMPLES, name, 'websites.yaml')),
);

test.for(names)('examples/%s can be applied, and the next plan has no changes', async (name: string) => {
  const folder = await testFolder();
  cpSync(join(EXAMPLES, name), folder, { recursive: true });
  const options = { cwd: folder, env: { SHOP_PASSWORD: 'a-password' } };
  const flags = FLAGS[name] ?? [];
  expect(await runBuilt(['validate', ...flags], options)).toMatchObject({ code: 0, stderr: '' });
  for (const own of TARGETS[name]?.map((target) => ['--target', target]) ?? [[]]) {
    const all = [...flags, ...own];
    expect(await runBuilt(['apply', '--auto-approve', ...all], options)).toMatchObject({ code: 0 });
    expect(await runBuilt(['plan', '--detailed-exitcode', ...all], options)).toMatchObject({ code: 0 });
  }
});
