import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { layerRules, layerTable } from '../../scripts/layers.ts';
import { demoPlan, pictureOf } from '../../scripts/picture.mjs';
import { commandSections, exitReference } from '../../scripts/reference/commands.ts';
import { environmentReference } from '../../scripts/reference/environment.ts';
import { fileReference, keyReference, targetReference } from '../../scripts/reference/keys.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { flagsIn, optionsOf } from '../../src/cli/options.ts';
import { RECORD_KEYS, SERVICE_KEYS } from '../../src/config/schema/keys.ts';
import { ERROR_CODES, WARNING_CODES } from '../../src/model/errors.ts';
import { GUARD_CODES } from '../../src/model/plan.ts';
import { runBuilt } from '../support/built.ts';
import { ending, testFolder } from '../support/cli.ts';
import { PAGES, proseOf, ROOT, read } from './pages.ts';

test('the tables of keys in docs/websites-yaml.md are up to date', () => {
  const page = read('docs/websites-yaml.md');
  const keys = [SERVICE_KEYS, RECORD_KEYS].map(keyReference);
  for (const table of [fileReference(), targetReference(), ...keys]) expect(page).toContain(table);
});

test('the table of folders in architecture.md and the lint rules are up to date', () => {
  expect(read('docs/contributing/architecture.md')).toContain(layerTable());
  expect(read('.biome.layers.json')).toBe(layerRules());
});

test('architecture.md names only files that exist', () => {
  const named = read('docs/contributing/architecture.md').matchAll(/`([a-z/-]+(?:\/|\.ts))`/g);
  for (const [, path = ''] of named)
    expect(['src', '.'].map((folder) => existsSync(resolve(ROOT, folder, path)))).toContain(true);
});

test('docs/commands.md is up to date with the commands', () => {
  const page = read('docs/commands.md');
  const sections = { exits: exitReference(), ...commandSections(), environment: environmentReference() };
  for (const [name, text] of Object.entries(sections))
    expect(page).toContain(`<!-- ${name}:begin -->\n${text}<!-- ${name}:end -->`);
});

test('the picture in the README shows the current demo', () => {
  const plan = demoPlan();
  expect(plan).toContain('Plan:');
  expect(read('docs/plan.svg')).toBe(pictureOf(plan));
  const [, shown = ''] = /```yaml\n([\s\S]*?)```/.exec(read('README.md')) ?? [];
  const { service: _, ...records } = parse(read('websites.yaml'));
  expect(parse(shown)).toMatchObject(records);
}, 30_000);

test('every command has help with examples', async () => {
  const folder = await testFolder();
  const { stdout: overview } = await runBuilt(['--help'], { cwd: folder });
  for (const name of Object.keys(COMMANDS)) {
    expect(overview).toMatch(new RegExp(`^ {2}${name} +\\S`, 'm'));
    const help = await runBuilt([name, '--help'], { cwd: folder });
    expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('Examples:') });
  }
}, 60_000);

test.for(PAGES)('%s names only existing commands and flags', (page) => {
  const spans = proseOf(read(page)).matchAll(/`websites ([a-z]+)([^`]*)`/g);
  for (const [span, name = '', rest = ''] of spans) {
    expect(COMMANDS, span).toHaveProperty(name);
    const flags = ['help', ...flagsIn(optionsOf(name)).map((flag) => flag.name)];
    for (const [, flag = ''] of rest.matchAll(/ --(?:no-)?([a-z-]+)/g)) expect(flags, span).toContain(flag);
  }
});

/** The source of all printed text. */
const SOURCE = readdirSync(resolve(ROOT, 'src'), { recursive: true })
  .filter((path) => String(path).endsWith('.ts'))
  .map((path) => read(`src/${path}`))
  .join('');

const ERRORS = [...ERROR_CODES, ...GUARD_CODES.map((code) => `guard-${code}`), 'bug'];

const page = read('docs/errors.md');
const parts = page.matchAll(/^### `([\w-]+)`\n([\s\S]*?)(?=^##|(?![\s\S]))/gm);
const sections = new Map(Array.from(parts, ([, code, text = '']) => [code, text]));

test('docs/errors.md has a section for each code, and no other', () => {
  expect([...sections.keys()].toSorted()).toEqual([...ERRORS, ...WARNING_CODES].toSorted());
});

test.each([...ERROR_CODES, ...WARNING_CODES])('the code %s is used in src', (code) => {
  expect(SOURCE.replace(read('src/model/errors.ts'), '').includes(`'${code}'`)).toBe(true);
});

test.each([...ERRORS, ...WARNING_CODES])('docs/errors.md explains %s and its fix', (code) => {
  const labels = Array.from(
    (sections.get(code) ?? '').matchAll(/^\*\*([^*]+)\.\*\*(?: \S|\n)/gm),
    ([, label = '']) => label,
  );
  expect(labels.join()).toMatch(/^(?:Printed,)?Meaning,(?:Common causes,)?Fix$/);
});

test.each(WARNING_CODES)('docs/errors.md quotes %s as it is printed', (code) => {
  const [, printed = ''] = /\*\*Printed\.\*\* `(.+)`\n/.exec(sections.get(code) ?? '') ?? [];
  const parts = printed
    .replace(/"https.*"/, '…')
    .split('…')
    .map((part) => part.trim());
  expect(parts.join('').length).toBeGreaterThan(5);
  expect(parts.filter((part) => !SOURCE.includes(part))).toEqual([]);
});

test('websites explain lists each code on a line of its own', async () => {
  const { stdout } = await runBuilt(['explain'], { cwd: await testFolder() });
  const lines = stdout.trim().split('\n');
  expect(lines.map((line) => line.split(' ')[0]).toSorted()).toEqual(
    [...ERRORS, ...WARNING_CODES].toSorted(),
  );
  for (const line of lines) expect(line).toMatch(/^[\w-]+ {2,}\S.*\.$/);
});

test('websites explain prints a section without Markdown, with links to its pages', async () => {
  const { stdout } = await runBuilt(['explain', 'interrupted'], { cwd: await testFolder() });
  expect(stdout).toMatch(/^interrupted\n\nMeaning: [\s\S]+^Fix: /m);
  expect(stdout).not.toMatch(/\*\*|`|\]\(|^(?!The pages).{81}/m);
  const [, page = ''] = /\(docs\/(\S+)\)/.exec(stdout) ?? [];
  const [, folder = ''] = /The pages are in (.+)\.\n$/.exec(stdout) ?? [];
  expect(existsSync(resolve(folder, page))).toBe(true);
});

test('explain of an unknown code exits with 1 and suggests the nearest code', async () => {
  expect(await runBuilt(['explain', 'plan-stael'], { cwd: await testFolder() })).toMatchObject(
    ending(1, 'Did you mean plan-stale?'),
  );
});
