/** Each sample policy has a configuration that passes, and one that it blocks. */
import { cpSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runBuilt } from '../support/built.ts';
import { testFolder } from '../support/cli.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../examples/policies');
const NAMES = readdirSync(`${EXAMPLES}/policies`).map((file) => file.replace('.yaml', ''));

test.for(NAMES)('%s', async (name) => {
  const cwd = await testFolder();
  cpSync(EXAMPLES, cwd, { recursive: true });
  const run = (line: string) => runBuilt(line.split(' '), { cwd, env: { WEBSITES_POLICY: 'policies' } });
  const [passes, blocked] = ['passes', 'blocked'].map((kind) => `-f websites/${name}.${kind}.yaml`);
  expect(await run(`apply --auto-approve ${passes}`)).toMatchObject({ code: 0 });
  const { code, stdout } = await run(`plan --format json ${blocked}`);
  expect(code).toBe(5);
  const { guards } = JSON.parse(stdout);
  expect(guards).toMatchObject([{ code: 'policy', policy: { name } }]);
  const approved = await run(`plan ${blocked} --allow-policy ${name}`);
  expect(approved.code).toBe(guards[0].policy.level === 'approve' ? 0 : 5);
});
