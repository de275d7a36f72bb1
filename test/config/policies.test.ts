import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { loadPolicies } from '../../src/config/policies.ts';
import { policySchemaText } from '../../src/config/schema/json-schema.ts';
import { WebsitesError } from '../../src/model/errors.ts';
import type { Policies } from '../../src/model/policy.ts';
import { type Files, testFolder } from '../support/cli.ts';
import { lines, noStdin } from './support.ts';

const policy = (name: string, rest = ''): string =>
  `  - { name: ${name}, on: website, rule: 'has(site.email)', message: M., level: deny${rest} }\n`;
const one = `policies:\n${policy('one')}`;

async function load(files: Files, path = 'p.yaml'): Promise<Policies> {
  return loadPolicies(path, { cwd: await testFolder(files), stdin: noStdin });
}

async function failureOf(files: Files, path?: string): Promise<WebsitesError> {
  const error = await load(files, path).catch((failure: unknown) => failure);
  if (error instanceof WebsitesError) return error;
  throw new Error('It was loaded.');
}

test('reads a file, or all YAML files of a directory', async () => {
  const { all } = await load({ 'p.yaml': one });
  expect(all).toMatchObject([
    { name: 'one', on: 'website', match: undefined, rule: 'has(site.email)', message: 'M.', level: 'deny' },
  ]);
  expect(all[0]?.place).toEqual({ file: 'p.yaml', line: 2, column: 5 });
  const both = await load(
    { 'p/a.yaml': one, 'p/b/c.yml': `policies:\n${policy('two')}`, 'p/x.txt': '' },
    'p',
  );
  expect(both.all.map(({ name }) => name)).toEqual(['one', 'two']);
});

test('the digest is that of the contents, wherever they are', async () => {
  const { digest } = await load({ 'p.yaml': one });
  expect((await load({ 'q/r.yaml': one }, 'q')).digest).toBe(digest);
  expect((await load({ 'p.yaml': `${one}# more\n` })).digest).not.toBe(digest);
});

test('no variable is put into an expression', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text under test
  const text = one.replace('has(site.email)', 'domain != "${HOME}"');
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the text under test
  expect((await load({ 'p.yaml': text })).all[0]?.rule).toBe('domain != "${HOME}"');
});

test.for(['none.yaml', 'empty'])('%s, where there is no policy, is an error', async (path) => {
  expect(await failureOf({ 'empty/x.txt': '' }, path)).toMatchObject({ code: 'policy-invalid' });
});

describe('problems have a place', () => {
  test.for([
    ['policies: 3', 'p.yaml:1:11'],
    ['policy: []', 'p.yaml:1:1'],
    ['- a', 'p.yaml:1:1'],
    ['policies: [a]', 'p.yaml:1:12'],
    [`${one}websites: []`, 'p.yaml:3:1'],
    ['policies:\n  - name: a\n    on: website', 'p.yaml:2:5'],
    [one.replace('website', 'site'), 'p.yaml:2:22'],
    [one.replace('deny', 'error'), 'p.yaml:2:76'],
    [one.replace("'has(site.email)'", '3'), 'p.yaml:2:37'],
    [one.replace('level', 'leval'), 'p.yaml:2:69'],
    [one + policy('one'), 'p.yaml:3:13'],
    ['policies: [', 'p.yaml:1:11'],
  ] as const)('%s', async ([text, place]) => {
    const { code, problems } = await failureOf({ 'p.yaml': text });
    expect(code).toBe('policy-invalid');
    expect(lines(problems).map((line) => line.split(' ')[0])).toContain(place);
  });
});

describe('a part of an expression is found in the file', () => {
  const text = 'like(domain, "x") &&\n  foo';
  test.for([
    ['plain', '    rule: like(domain, "x") && foo', '2:32'],
    ['over lines', '    rule: like(domain, "x") &&\n      foo', '3:7'],
    ['in single quotes', `    rule: 'like(domain, "x") && foo'`, '2:33'],
    ['literal', '    rule: |\n      like(domain, "x") &&\n        foo', '4:9'],
    ['folded', '    rule: >-\n      like(domain, "x") &&\n      foo', '4:7'],
    ['with escapes: all of it', `    rule: "like(domain, \\"x\\") && foo"`, '2:11'],
  ] as const)('%s', async ([, rule, place]) => {
    const file = `policies:\n${rule.replace('    rule', '  - rule')}\n    name: a\n    on: website\n    message: M\n    level: warn\n`;
    const [loaded] = (await load({ 'p.yaml': file })).all;
    const at = loaded?.rule.indexOf('foo') ?? -1;
    expect(loaded?.rule.replaceAll(/\s+/g, ' ').trim()).toBe(text.replaceAll(/\s+/g, ' '));
    const found = loaded?.problemAt('rule', at, at + 3, 'M')?.place;
    expect(`${found?.line}:${found?.column}`).toBe(place);
  });
});

test('the committed schema is that of the table of keys, and takes what the loader takes', async () => {
  expect(await readFile('schema/policies.schema.json', 'utf8')).toBe(policySchemaText());
  const validate = new Ajv().compile(JSON.parse(policySchemaText()));
  expect(validate(parse(one))).toBe(true);
  for (const bad of [one.replace('deny', 'error'), one.replace('level', 'leval'), 'policies: 3']) {
    expect(validate(parse(bad))).toBe(false);
  }
});
