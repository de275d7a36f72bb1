import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runBuilt } from '../support/built.ts';
import { testFolder } from '../support/cli.ts';
import { HAS_JQ } from '../support/github/repository.ts';
import { ROOT } from './pages.ts';

const RULES = join(ROOT, 'examples/policies/rules.jq');
const HEAD = 'version: 1\nservice: { base_url: local }\nprune: true\nwebsites:\n';
const WIKI = '- { domain: wiki.internal, privacy: private }\n';

test.skipIf(!HAS_JQ)('rules.jq prints each violation, and exits with 0 for a compliant plan', async () => {
  const cwd = await testFolder();
  const write = (websites: string) => writeFile(join(cwd, 'websites.yaml'), HEAD + websites);
  const check = async (websites: string) => {
    await write(websites);
    const { stdout: input } = await runBuilt(['plan', '--format', 'json'], { cwd });
    const { status, stdout } = spawnSync('jq', ['-re', '-f', RULES], { input, encoding: 'utf8' });
    return { status, lines: stdout.trim().split('\n') };
  };
  await write(`${WIKI}- a.example\n- b.example\n- c.example\n- d.example\n`);
  expect(await runBuilt(['apply', '--auto-approve'], { cwd })).toMatchObject({ code: 0 });
  const kept = `${WIKI.replace(' }', ', exclude_bots: false }')}- a.example\n- b.example\n`;
  expect(await check(`${kept}- { group: acme, websites: [acme.com, shop.acme.com] }\n`)).toEqual({
    status: 0,
    lines: ['true'],
  });
  const broken = `${WIKI.replace('private', 'public')}- new.internal\n- a.example\n`;
  expect(
    await check(
      `${broken}- { group: acme, websites: [notacme.com] }\n- { group: other, websites: [acme.com] }\n`,
    ),
  ).toEqual({
    status: 1,
    lines: [
      'new.internal: an internal website must be private',
      'wiki.internal: an internal website must be private',
      '3 deletes: more than two need an approval',
      'acme.com: not a domain of the group other',
      'notacme.com: not a domain of the group acme',
      'false',
    ],
  });
});
