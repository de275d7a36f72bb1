/** The rules of examples/policies, run by jq on plans of the built program. */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runBuilt } from '../support/built.ts';
import { testFolder } from '../support/cli.ts';
import { HAS_JQ } from '../support/github/repository.ts';

const RULES = resolve(import.meta.dirname, '../../examples/policies/rules.jq');

const HEAD = 'version: 1\nservice: { base_url: local }\nprune: true\nwebsites:\n';
const FOUR = '  - a.example\n  - b.example\n  - c.example\n  - d.example\n';

interface Case {
  readonly title: string;
  /** The websites that are on the service, and those that the plan is made of. */
  readonly applied?: string;
  readonly planned: string;
  readonly violations: readonly string[];
}

const CASES: readonly Case[] = [
  { title: 'a plan that changes nothing passes', planned: '  []\n', violations: [] },
  {
    title: 'a private internal website passes',
    planned: '  - { domain: wiki.internal, privacy: private }\n',
    violations: [],
  },
  {
    title: 'an internal website without privacy is found',
    planned: '  - wiki.internal\n',
    violations: ['wiki.internal: an internal website must be private'],
  },
  {
    title: 'an internal website that becomes public is found',
    applied: '  - { domain: wiki.internal, privacy: private }\n',
    planned: '  - { domain: wiki.internal, privacy: public }\n',
    violations: ['wiki.internal: an internal website must be private'],
  },
  {
    title: 'an internal website that changes in another setting passes',
    applied: '  - { domain: wiki.internal, privacy: private }\n',
    planned: '  - { domain: wiki.internal, privacy: private, exclude_bots: false }\n',
    violations: [],
  },
  { title: 'two deletes pass', applied: FOUR, planned: '  - a.example\n  - b.example\n', violations: [] },
  {
    title: 'three deletes are found',
    applied: FOUR,
    planned: '  - a.example\n',
    violations: ['3 deletes: more than two need an approval'],
  },
  {
    title: 'a group with websites of its own domain passes',
    planned: '  - { group: acme, websites: [acme.com, shop.acme.com] }\n',
    violations: [],
  },
  {
    title: 'a website of another owner in a group is found, and a group without an owner',
    planned: '  - { group: acme, websites: [notacme.com] }\n  - { group: other, websites: [acme.com] }\n',
    violations: ['acme.com: not a domain of the group other', 'notacme.com: not a domain of the group acme'],
  },
];

test.skipIf(!HAS_JQ).for(CASES)('rules.jq: $title', async ({ applied, planned, violations }) => {
  const cwd = await testFolder();
  const write = (websites: string) => writeFile(join(cwd, 'websites.yaml'), HEAD + websites);
  if (applied !== undefined) {
    await write(applied);
    expect(await runBuilt(['apply', '--auto-approve'], { cwd })).toMatchObject({ code: 0 });
  }
  await write(planned);
  const plan = await runBuilt(['plan', '--format', 'json'], { cwd });
  const { status, stdout } = spawnSync('jq', ['-re', '-f', RULES], { input: plan.stdout, encoding: 'utf8' });
  const isMet = violations.length === 0;
  expect(stdout).toBe([...violations, `${isMet}\n`].join('\n'));
  expect(status).toBe(isMet ? 0 : 1);
});
