/** Uses the library as a program does: the built package, by its name. */
import { execFile } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { cp, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { inspect, promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import type * as Library from '../../src/library/index.ts';
import type { Change } from '../../src/model/change.ts';
import type { DesiredWebsite } from '../../src/model/website.ts';
import { blocksOf, read } from '../docs/pages.ts';
import { testFolder } from '../support/cli.ts';
import { scripted } from '../support/scripted-service.ts';
import { startTestService } from '../support/service.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

const LOCAL = { 'websites.yaml': 'service: { base_url: local }\nwebsites: [a.example.com]\n' };

const library: typeof Library = await import(join(ROOT, 'dist/library/index.js'));
const { load, plan, apply, renderPlan, renderResult, readPlan, WebsitesError } = library;

test('the library loads, plans, applies and returns the result', async () => {
  const cwd = await testFolder({
    'websites.yaml':
      'service: { base_url: local }\nwebsites:\n  - { domain: a.example.com, privacy: password, password: { env: SITE } }\n',
  });
  const configuration = await load({ cwd, env: { SITE: 'a-long-password' } });
  expect(configuration.websites.map(({ domain }) => domain)).toEqual(['a.example.com']);
  const made = await plan(configuration);
  expect(made.summary).toMatchObject({ create: 1, delete: 0 });
  const text = await renderPlan(made, 'json');
  expect(readPlan(text)).toEqual(JSON.parse(text));
  const events: Library.RunEvent[] = [];
  const { result, exitCode } = await apply(configuration, readPlan(text), {
    onEvent: (event) => events.push(event),
  });
  expect({ exitCode, converged: result.converged, ...result.summary }).toMatchObject({
    exitCode: 0,
    converged: true,
    created: 1,
  });
  expect(events.map(({ type }) => type)).toContain('change_done');
  expect((await plan(configuration)).changes).toEqual([]);
  const all = [
    text,
    await renderResult(result, 'json'),
    JSON.stringify(events),
    JSON.stringify(configuration),
  ];
  expect(all.join('\n')).not.toContain('a-long-password');
});

test('the library prints a modified plan, but reading or applying it is an error', async () => {
  const cwd = await testFolder({
    'websites.yaml': 'service: { base_url: local }\nwebsites: [a.example.com, b.example.com]\n',
  });
  const configuration = await load({ cwd });
  const made = await plan(configuration);
  (made.changes as Change[]).pop();
  const text = await renderPlan(made, 'json');
  expect(text).not.toContain('b.example.com');
  expect(() => readPlan(text)).toThrow('it was edited');
  await expect(apply(configuration, made)).rejects.toMatchObject({ code: 'plan-invalid' });
});

test('the library does not apply a plan without a valid seal', async () => {
  const configuration = await load({ cwd: await testFolder(LOCAL) });
  const { seal, ...made } = await plan(configuration);
  await expect(apply(configuration, made)).rejects.toMatchObject({ code: 'seal-invalid' });
  const other = { ...made, seal: '0'.repeat(64) };
  await expect(apply(configuration, other)).rejects.toMatchObject({ code: 'seal-invalid' });
  expect(await apply(configuration, { ...made, ...(seal && { seal }) })).toMatchObject({ exitCode: 0 });
});

test.each([undefined, null, 'plan.json', {}])('the library throws an error for plan %j', async (given) => {
  const applied = apply(await load({ cwd: await testFolder(LOCAL) }), given as never);
  await expect(applied).rejects.toMatchObject({
    code: 'plan-invalid',
    message: expect.stringMatching(/not a plan/),
  });
  expect(() => readPlan(JSON.stringify(given))).toThrow(/^The text is not a valid plan/);
});

test('a configuration that the library loaded cannot be modified', async () => {
  const cwd = await testFolder({
    'websites.yaml':
      'service: { base_url: local }\nwebsites:\n  - { domain: b.example.com, exclude_params: [ref] }\n  - a.example.com\n',
  });
  const { websites, files } = await load({ cwd });
  const [first] = websites as [DesiredWebsite];
  expect(() => (websites as DesiredWebsite[]).reverse()).toThrow(TypeError);
  expect(() => Object.assign(first, { state: 'absent' })).toThrow(TypeError);
  expect(() => (first.settings.exclude_params as string[]).push('utm')).toThrow(TypeError);
  expect(() => (files as unknown[]).pop()).toThrow(TypeError);
  expect(websites.toSorted((a, b) => (a.domain < b.domain ? -1 : 1))[0]?.domain).toBe('a.example.com');
});

test('the library applies an approved plan once, unmodified, and only without blocking guards', async () => {
  const cwd = await testFolder({
    'websites.yaml': 'service: { base_url: local }\nwebsites: [a.example.com, b.example.com]\n',
  });
  const first = await load({ cwd });
  const made = await plan(first);
  await expect(apply(first, { ...made, changes: made.changes.slice(1) })).rejects.toMatchObject({
    code: 'plan-invalid',
  });
  expect((await apply(first, made)).exitCode).toBe(0);
  await expect(apply(first, made)).rejects.toMatchObject({ code: 'plan-stale' });

  await writeFile(join(cwd, 'websites.yaml'), 'service: { base_url: local }\nprune: true\nwebsites: []\n');
  const empty = await load({ cwd });
  const deletes = await plan(empty);
  expect(deletes.summary.delete).toBe(2);
  const refused = apply(empty, deletes);
  await expect(refused).rejects.toBeInstanceOf(WebsitesError);
  await expect(refused).rejects.toMatchObject({ code: 'guard-refused', exit: 5 });
  const inPart = await plan(empty, { allowDeletes: 2 });
  await expect(apply(empty, inPart)).rejects.toMatchObject({ code: 'guard-refused' });
  const approved = await plan(empty, { allowEmpty: true, allowDeletes: 2 });
  expect((await apply(empty, approved)).result.summary.deleted).toBe(2);
});

test('the library does not apply a plan if its files changed', async () => {
  const before = 'service: { base_url: local }\nprune: true\nwebsites: [a.example.com, b.example.com]\n';
  const cwd = await testFolder({ 'websites.yaml': before });
  const write = (text: string) => writeFile(join(cwd, 'websites.yaml'), text);
  const both = await load({ cwd });
  expect((await apply(both, await plan(both))).exitCode).toBe(0);
  await write(before.replace(', b.example.com', ''));
  const one = await load({ cwd });
  const made = await plan(one);
  expect(made.summary.delete).toBe(1);
  const stale = { code: 'plan-stale', message: expect.stringContaining('since the plan was made') };
  await write(before);
  await expect(apply(await load({ cwd }), made)).rejects.toMatchObject(stale);
  await expect(apply(one, made)).rejects.toMatchObject(stale);
  await write(before.replace(', b.example.com', ''));
  await expect(apply(both, made)).rejects.toMatchObject({
    code: 'plan-stale',
    message: 'The plan was made from different files.',
  });
  expect((await apply(await load({ cwd }), made)).result.summary.deleted).toBe(1);
});

test('the library does not apply a plan that was made with another working directory', async () => {
  const text = 'service: { base_url: local }\nprune: true\nwebsites: [a.example.com]\n';
  const top = await testFolder({ 'sites/own.yaml': text });
  const made = await plan(await load({ cwd: join(top, 'sites'), file: ['own.yaml'] }));
  const above = await load({ cwd: top, file: ['sites/own.yaml'] });
  await writeFile(join(top, 'sites', 'own.yaml'), text.replace(']', ', b.example.com]'));
  await expect(apply(above, made)).rejects.toMatchObject({
    code: 'plan-stale',
    message: 'own.yaml has changed since the plan was made.',
  });
});

test('the library detects a changed file even after the working directory of the process changed', async () => {
  const text = 'service: { base_url: local }\nprune: true\nwebsites: [a.example.com]\n';
  const top = await testFolder({ 'sites/websites.yaml': text });
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(top);
  const configuration = await load({ cwd: 'sites' });
  const made = await plan(configuration);
  await writeFile(join(top, 'sites/websites.yaml'), text.replace('a.', 'b.'));
  process.chdir(await testFolder());
  await expect(apply(configuration, made)).rejects.toMatchObject({ code: 'plan-stale' });
});

test('the library does not apply a plan that deletes a website of the given configuration', async () => {
  const cwd = await testFolder({
    'websites.yaml': `service: { base_url: local }\nprune: true\nwebsites: ["\${SITE}.example.com"]\n`,
  });
  const [old, fresh] = [await load({ cwd, env: { SITE: 'old' } }), await load({ cwd, env: { SITE: 'new' } })];
  await apply(old, await plan(old));
  const made = await plan(fresh, { allowDeletes: 1 });
  expect(made.summary).toMatchObject({ create: 1, delete: 1 });
  await expect(apply(old, made)).rejects.toMatchObject({ code: 'plan-stale' });
  expect((await apply(fresh, made)).exitCode).toBe(0);
});

test('the library removes its listener from the abort signal after an apply', async () => {
  const configuration = await load({ cwd: await testFolder(LOCAL) });
  const { signal } = new AbortController();
  await apply(configuration, await plan(configuration), { signal });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('the library causes no leak warning on an abort signal with many listeners', async () => {
  const warnings: string[] = [];
  const listen = ({ name }: Error) => warnings.push(name);
  process.on('warning', listen);
  onTestFinished(() => void process.off('warning', listen));
  const configuration = await load({ cwd: await testFolder(LOCAL) });
  const { signal } = new AbortController();
  for (let others = 0; others < 10; others++) signal.addEventListener('abort', () => {});
  await apply(configuration, await plan(configuration), { signal });
  expect(warnings).toEqual([]);
});

test('an aborted apply ends before the pause that the service asks for is over', async () => {
  const service = await scripted({
    faults: ({ method }) =>
      method === 'POST' ? { kind: 'throttle', seconds: 60, headers: 'laravel' } : undefined,
  });
  const cwd = await testFolder({ 'websites.yaml': 'websites: [a.example.com]\n' });
  const configuration = await load({ cwd, env: {} });
  const options = { baseUrl: service.url, apiKey: service.key };
  const made = await plan(configuration, options);
  const startedAt = Date.now();
  const stop = new AbortController();
  const applying = apply(configuration, made, { ...options, signal: stop.signal });
  await expect.poll(() => service.requests.at(-1)?.method, { timeout: 10_000 }).toBe('POST');
  stop.abort();
  expect(await applying).toMatchObject({ exitCode: 130, result: { interrupted: true } });
  expect(Date.now() - startedAt).toBeLessThan(30_000);
});

test('an aborted apply stops waiting for requests of an earlier run', async () => {
  const cwd = await testFolder(LOCAL);
  const before = await load({ cwd });
  await apply(before, await plan(before));
  const runs = join(cwd, '.websites/runs');
  const journal = join(runs, (await readdir(runs))[0] ?? '');
  const text = await readFile(journal, 'utf8');
  await writeFile(journal, text.replace('"entry":"closed"', '"entry":"closed","in_doubt":1'));
  await writeFile(
    join(cwd, 'websites.yaml'),
    'service: { base_url: local }\nwebsites: [a.example.com, b.example.com]\n',
  );
  const configuration = await load({ cwd });
  const made = await plan(configuration);
  const waiting = apply(configuration, made, { signal: AbortSignal.timeout(500) });
  await expect(waiting).rejects.toMatchObject({ code: 'interrupted' });
});

test('the library sends the given API key, and a wrong key is an error', async () => {
  const service = await startTestService();
  onTestFinished(service.close);
  const cwd = await testFolder({ 'websites.yaml': 'websites: [a.example.com]\n' });
  const configuration = await load({ cwd, env: {} });
  const options = { baseUrl: service.url, apiKey: service.key };
  expect((await plan(configuration, options)).summary.create).toBe(1);
  await expect(plan(configuration, { ...options, apiKey: 'another' })).rejects.toMatchObject({
    code: 'key-refused',
    exit: 3,
  });
  await expect(plan(configuration, { baseUrl: service.url })).rejects.toMatchObject({ code: 'key-missing' });
});

test('the library throws an error if the target, service URL or API key is missing', async () => {
  const cwd = await testFolder({
    'websites.yaml': 'websites: [a.example.com]\n',
    'targets.yaml': 'targets: { staging: { base_url: local } }\nwebsites: [a.example.com]\n',
  });
  const configuration = await load({ cwd, env: {} });
  const baseUrl = 'http://127.0.0.1:1';
  const errors = [
    load({ cwd, env: {}, file: ['targets.yaml'] }),
    plan(configuration),
    plan(configuration, { baseUrl }),
    plan(configuration, { baseUrl, apiKey: '' }),
    plan(configuration, { baseUrl, apiKey: '<API_KEY>' }),
  ].map((refused) => refused.then(String, ({ code }) => code));
  expect(await Promise.all(errors)).toEqual([
    'usage',
    'base-url-invalid',
    'key-missing',
    'key-missing',
    'usage',
  ]);
});

test('a service URL in the environment overrides the URL in the files', async () => {
  const service = await startTestService();
  onTestFinished(service.close);
  const elsewhere = 'http://127.0.0.1:1';
  const cwd = await testFolder({
    'websites.yaml': `service: { base_url: "${elsewhere}" }\nwebsites: [a.example.com]\n`,
    'targets.yaml': `targets: { staging: { base_url: "${elsewhere}", api_key: { env: OWN } } }\nwebsites: [a.example.com]\n`,
  });
  const env = { WEBSITES_API_KEY: service.key, WEBSITES_BASE_URL: service.url, OWN: service.key };
  const configuration = await load({ cwd, env });
  const made = await plan(configuration);
  expect({ ...made.service, created: made.summary.create }).toMatchObject({
    base_url: service.url,
    created: 1,
  });
  await expect(plan(configuration, { baseUrl: 'local' })).resolves.toMatchObject({
    service: { base_url: expect.stringMatching(/^local:/) },
  });
  const target = await load({ cwd, env, file: ['targets.yaml'], target: 'staging' });
  await expect(plan(target)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('(WEBSITES_BASE_URL) cannot be combined with targets.'),
  });
  const unset = await load({ cwd, env: { ...env, WEBSITES_BASE_URL: '' } });
  await expect(plan(unset, { timeout: 0.001 })).rejects.toMatchObject({ code: 'service-unreachable' });
});

test.each<{ settings: unknown; said: string }>([
  { settings: { allowDeletes: Number.POSITIVE_INFINITY }, said: 'allowDeletes must be a whole number' },
  { settings: { parallelism: 257 }, said: 'parallelism must be a whole number from 1 to 256.' },
  { settings: { prune: 'false' }, said: 'settings.prune must be true, false or removed' },
  { settings: { resendPasswords: 'false' }, said: 'settings.resendPasswords must be true or false' },
  { settings: { domain: 'a.example.com' }, said: 'settings.domain must be a list of strings' },
  { settings: { exclude: [/^a/] }, said: 'settings.exclude must be a list of strings' },
  { settings: { allowDeletes: '3' }, said: 'settings.allowDeletes must be a whole number' },
  { settings: { baseUrl: new URL('http://127.0.0.1') }, said: 'settings.baseUrl must be a string' },
  { settings: ['prune'], said: 'settings' },
  { settings: { targets: ['a.example.com'] }, said: 'Unknown option: settings.targets.' },
  { settings: { out: 'plan.json' }, said: 'Unknown option: settings.out.' },
])('the library throws an error for an invalid plan setting: $said', async ({ settings, said }) => {
  const made = plan(await load({ cwd: await testFolder(LOCAL) }), settings as Library.PlanSettings);
  await expect(made).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(said) });
});

test.each([
  { settings: { parralelism: 'a-long-key' }, remedy: 'Did you mean settings.parallelism?' },
  { settings: { allowDelets: 'a-long-key' }, remedy: 'Did you mean settings.allowDeletes?' },
  { settings: { parallelism: 'a-long-key' }, remedy: undefined },
])('an error about the plan settings %j does not show their values', async ({ settings, remedy }) => {
  const cwd = await testFolder({ 'websites.yaml': 'websites: [a.example.com]\n' });
  const error = await plan(await load({ cwd }), settings as object).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'usage', remedy });
  expect(inspect(error)).not.toContain('a-long-key');
});

test.each<object>([
  { canary: 1.5 },
  { skipStale: 'false' },
  { onEvent: 'log' },
  { signal: 'SIGINT' },
  { dryRun: true },
])('the library does not apply a plan with the invalid settings %j', async (settings) => {
  const configuration = await load({ cwd: await testFolder(LOCAL) });
  const made = await plan(configuration);
  await expect(apply(configuration, made, settings)).rejects.toMatchObject({ code: 'usage' });
  expect((await plan(configuration)).summary.create).toBe(1);
});

test.each<unknown>([
  'websites.yaml',
  { file: 'websites.yaml' },
  { env: { SITE: 1 } },
  { files: ['websites.yaml'] },
])('the library throws an error for the invalid load options %j', async (options) => {
  await expect(load(options as Library.LoadOptions)).rejects.toMatchObject({ code: 'usage' });
});

test('load of the library accepts process.env as its environment', async () => {
  const cwd = await testFolder({ 'websites.yaml': 'websites: [a.example.com]\n' });
  expect(await load({ cwd, env: process.env })).toMatchObject({ websites: [{ domain: 'a.example.com' }] });
});

test.each([
  ['renderPlan', 'md', 'human, json, markdown, diff, html, gitlab'],
  ['renderPlan', undefined, 'human, json, markdown, diff, html, gitlab'],
  ['renderResult', 'gitlab', 'human, json, markdown, html'],
  ['renderResult', 'toString', 'human, json, markdown, html'],
] as const)('%s of the library throws an error for the format %j', async (render, format, formats) => {
  const made = library[render] as (value: object, format: unknown) => Promise<string>;
  const message = `format must be one of ${formats}.`;
  await expect(made({ changes: [], orphans: [] }, format)).rejects.toMatchObject({ code: 'usage', message });
});

test('the library treats an undefined approval as no approval', async () => {
  const made = await plan(await load({ cwd: await testFolder(LOCAL) }), { allowEmpty: undefined });
  expect(readPlan(await renderPlan(made, 'json')).options.allow).toEqual({ empty: false });
});

test('a plan of the library does not change if its settings object changes later', async () => {
  const settings = { domain: ['a.*'], exclude: ['b.*'] };
  const making = plan(await load({ cwd: await testFolder(LOCAL) }), settings);
  settings.domain.push('b.*');
  const made = await making;
  settings.exclude.push('c.*');
  const { domain, exclude } = readPlan(await renderPlan(made, 'json')).options;
  expect({ domain, exclude }).toEqual({ domain: ['a.*'], exclude: ['b.*'] });
});

test('the library returns a warning for a directory without files', async () => {
  const cwd = await testFolder({ 'websites.yaml': 'websites: [a.example.com]\n', 'teams/.keep': '' });
  const { warnings } = await load({ cwd, file: ['websites.yaml', 'teams'] });
  expect(warnings).toMatchObject([{ severity: 'warning', message: 'no YAML file in teams' }]);
});

test('the library reports an invalid file, and plans only a configuration that it loaded', async () => {
  const cwd = await testFolder({ 'websites.yaml': 'websites:\n  - domain: a.example.com\n    privcy: 1\n' });
  await expect(load({ cwd })).rejects.toMatchObject({
    code: 'config-invalid',
    problems: [{ place: { line: 3 } }],
  });
  await expect(plan({ websites: [], files: [], root: cwd, warnings: [] })).rejects.toThrow(TypeError);
});

test('the library examples apply a small plan, and one does not apply a large plan', async () => {
  const cwd = await testFolder();
  await cp(join(ROOT, 'examples/library'), cwd, { recursive: true });
  await mkdir(join(cwd, 'node_modules'));
  await symlink(ROOT, join(cwd, 'node_modules/websites-as-code'));
  const [page] = blocksOf(read('docs/json.md')).filter(({ language }) => language === 'js');
  await writeFile(join(cwd, 'page.mjs'), page?.body ?? '');
  const example = (...args: string[]) =>
    run(process.execPath, args, { cwd }).then(
      ({ stdout }) => ({ code: 0, stdout }),
      ({ code, stdout }: { code: number; stdout: string }) => ({ code, stdout }),
    );
  const large = await example('apply-small.mjs', '1');
  expect(large.code).toBe(2);
  expect(large.stdout).toContain('example.com');
  expect(await example('page.mjs')).toMatchObject({ code: 0, stdout: expect.stringContaining('Applied') });
  expect(await example('apply-small.mjs', '0')).toMatchObject({ code: 0 });
}, 30_000);

test('a strict TypeScript program can use the types of the library without its dependencies', async () => {
  const cwd = await testFolder({
    'package.json': '{ "type": "module" }',
    'program.ts': `import { apply, load, plan, renderPlan, type ApplySettings, type Change, type DesiredWebsite, type LoadOptions, type Plan, type PlanSettings, type Result, type RunEvent, type WebsitesError } from 'websites-as-code';
const configuration = await load({ file: ['websites.yaml'] });
const made: Plan = await plan(configuration, { prune: true, allowDeletes: 3 });
const name: 'create' | 'update' | 'delete' | undefined = made.changes[0]?.action;
const text: string = await renderPlan(made, 'markdown');
const { result } = await apply(configuration, made, { onEvent: (event: RunEvent) => { event.type; } });
const converged: boolean | null = result.converged;
// @ts-expect-error: there is no such format
await renderPlan(made, 'poem');
export { converged, name, text };
export const deletes = (made: Plan) => made.changes.filter((change) => change.action === 'delete');
export const updates = (made: Plan) => made.changes.flatMap((change) => (change.action === 'update' ? [change] : []));
export const secrets = (made: Plan) => updates(made).map(({ fields, alongside }) => [fields.password, alongside]);
export const before = (made: Plan) => updates(made).map((change) => change.before.privacy);
export const parts = ({ options, orphans, guards }: Plan) => [options.www, options, orphans[0], guards[0]?.code];
export const about = ({ source, risk, origin }: Change) => [source, risk, risk.level, origin];
export const asked = ({ group, allowDeletes }: PlanSettings) => [group, allowDeletes] as const;
export const maybe = (signal?: AbortSignal, cwd?: string): [ApplySettings, PlanSettings, LoadOptions] => [{ signal }, { group: [] }, { cwd }];
export const left = ({ not_attempted }: Result) => not_attempted;
export const wanted = ({ settings }: DesiredWebsite) => [settings, Object.keys(settings)] as const;
export const where = ({ place }: WebsitesError) => place;
`,
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        module: 'nodenext',
        target: 'es2023',
        lib: ['es2023'],
        strict: true,
        exactOptionalPropertyTypes: true,
        types: ['node'],
        typeRoots: [join(ROOT, 'node_modules/@types')],
        declaration: true,
        outDir: 'out',
      },
      file: ['program.ts'],
    }),
  });
  const target = join(cwd, 'node_modules/websites-as-code');
  await mkdir(target, { recursive: true });
  await writeFile(join(target, 'package.json'), await readFile(join(ROOT, 'package.json')));
  await cp(join(ROOT, 'dist/library/types'), join(target, 'dist/library/types'), { recursive: true });
  await expect(run(join(ROOT, 'node_modules/.bin/tsc'), ['--project', cwd])).resolves.toMatchObject({
    stdout: '',
  });
}, 30_000);
