/** Every example is applied to the embedded service, and its second plan is empty. */
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runBuilt } from '../support/built.ts';
import { testFolder } from '../support/cli.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../examples');

/** Flags of the examples that are not one file. */
const FLAGS: Readonly<Record<string, readonly string[]>> = { team: ['-f', 'base.yaml', '-f', 'sites/'] };

/** Their targets; all are validated anyway. */
const TARGETS: Readonly<Record<string, readonly string[]>> = { targets: ['staging', 'production'] };

/** Those that are websites, and not the pipelines around them. */
const names = readdirSync(EXAMPLES).filter(
  (name) => name in FLAGS || existsSync(join(EXAMPLES, name, 'websites.yaml')),
);

test.for(names)('examples/%s', async (name: string) => {
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
