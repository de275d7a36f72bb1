/** Undeclared settings stay, on services of every kind and with edits by colleagues. */
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Result } from '../../src/model/run.ts';
import { runBuilt } from '../support/built.ts';
import { startCli, testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { type Dialect, type ScriptedService, scripted } from '../support/scripted-service.ts';

const KEPT = {
  privacy: 0,
  exclude_params: 'ref',
  exclude_ips: '192.0.2.1',
  favorited_at: '2026-01-31 09:00:00',
};
const DOMAINS = ['a.example', 'b.example', 'c.example', 'd.example'];

const declaring = (setting: string): string =>
  `version: 1\nwebsites:\n${DOMAINS.map((domain) => `  - { domain: ${domain}, ${setting} }\n`).join('')}`;

const PINNED = `service: { update: changed }\n${declaring('email: true')}`;

async function stocked(dialect: Partial<Dialect> = {}, setting = 'email: true') {
  const service = await scripted({ dialect, records: DOMAINS.map((domain) => ({ domain, ...KEPT })) });
  const folder = await testFolder({ 'websites.yaml': declaring(setting) });
  return { service, folder };
}

async function apply(service: ScriptedService, folder: string): Promise<Result & { readonly code: number }> {
  const args = ['apply', '--auto-approve', '--format', 'json', '--allow-updates', '9'];
  const { code, stdout } = await runInProcess(args, folder, service.env);
  return { code, ...(JSON.parse(stdout) as Result) };
}

test('apply keeps and names an edit that another client makes during the run', async () => {
  const { service, folder } = await stocked();
  service.faults = ({ method, path }) => {
    if (method === 'PUT' && path.endsWith('/1')) {
      service.change(3, { privacy: 2, password: 'theirs', exclude_ips: '198.51.100.7' });
    }
    return undefined;
  };
  const result = await apply(service, folder);
  expect(result).toMatchObject({ code: 0, converged: true });
  expect(service.records()[2]).toMatchObject({
    privacy: 2,
    password: 'theirs',
    exclude_ips: '198.51.100.7',
  });
  expect(result.changed_meanwhile?.map(({ domain, field }) => [domain, field])).toEqual([
    ['c.example', 'privacy'],
    ['c.example', 'exclude_ips'],
  ]);
});

test('apply keeps and names an edit between the plan and the first update', async () => {
  const { service, folder } = await stocked();
  service.faults = ({ method, path }) => {
    if (method === 'GET' && path.endsWith('/1'))
      service.change(1, { exclude_ips: '198.51.100.7', privacy: 1 });
    return undefined;
  };
  const result = await apply(service, folder);
  expect(result.code).toBe(0);
  expect(service.records()[0]).toMatchObject({ privacy: 1, exclude_ips: '198.51.100.7', email: 1 });
  expect(result.changed_meanwhile).toMatchObject([{ field: 'privacy' }, { field: 'exclude_ips' }]);
});

test('apply keeps and names an edit by another client while it restores a setting', async () => {
  const { service, folder } = await stocked({ put: { resets: ['exclude_params'] } });
  let puts = 0;
  service.faults = ({ method }) => {
    if (method !== 'PUT') return undefined;
    puts += 1;
    if (puts !== 2) return undefined;
    service.change(1, { exclude_ips: '198.51.100.7' });
    return { kind: 'throttle', seconds: 2, headers: 'laravel' };
  };
  const result = await apply(service, folder);
  expect(result).toMatchObject({ code: 0, restored: [{ domain: 'a.example', field: 'exclude_params' }] });
  expect(service.records()[0]).toMatchObject({ exclude_params: 'ref', exclude_ips: '198.51.100.7' });
  expect(result.changed_meanwhile).toMatchObject([{ domain: 'a.example', field: 'exclude_ips' }]);
});

test('an edit by another client after the response is kept, and is not called a side effect', async () => {
  const { service, folder } = await stocked();
  service.faults = ({ method, path }) => {
    if (method === 'PUT' && path.endsWith('/2')) service.change(1, { exclude_params: 'theirs' });
    return undefined;
  };
  const result = await apply(service, folder);
  expect(result).toMatchObject({
    code: 0,
    changed_meanwhile: [{ domain: 'a.example', after: ['theirs'] }],
  });
  expect(service.records()[0]?.exclude_params).toBe('theirs');
});

test('12 updates do not shift favorited_at on a service in another time zone', async () => {
  const { service, folder } = await stocked({ zoneHours: 1 });
  for (let update = 0; update < 12; update += 1) {
    await writeFile(join(folder, 'websites.yaml'), declaring(`email: ${update % 2 === 0}`));
    expect(await apply(service, folder)).toMatchObject({ code: 0 });
  }
  expect(service.records().map(({ favorited_at }) => favorited_at)).toEqual(
    DOMAINS.map(() => KEPT.favorited_at),
  );
  // Two lists, and two requests for each update.
  expect(service.requests.length).toBeLessThanOrEqual(12 * (2 + 2 * DOMAINS.length));
});

test('apply names each record whose hidden favorite time the service changed', async () => {
  const { service, folder } = await stocked({
    put: { resets: ['favorited_at'] },
    zoneHours: 2,
    writeAnswer: 'id',
    hiddenInList: ['favorited_at'],
  });
  const { code, side_effects, unverified } = await apply(service, folder);
  expect(code).toBe(4);
  expect(side_effects?.map(({ domain, field }) => [domain, field])).toEqual(
    DOMAINS.map((domain) => [domain, 'favorited_at']),
  );
  expect(unverified).toBeUndefined();
});

test('apply exits with 4 and names each record whose favorited_at a restore changed', async () => {
  const { service, folder } = await stocked({
    put: { resets: ['exclude_ips'] },
    zoneHours: 2,
    hiddenInList: ['favorited_at'],
  });
  const { code, restored, side_effects } = await apply(service, folder);
  expect(code).toBe(4);
  expect(restored).toMatchObject([{ domain: 'a.example', field: 'exclude_ips' }]);
  // After the first reset, the other updates send all settings as they were read.
  expect(side_effects).toMatchObject(DOMAINS.map((domain) => ({ domain, field: 'favorited_at' })));
});

test.each<[string, Partial<Dialect>]>([
  ['that resets omitted settings', { put: 'replace', fresh: { privacy: 0 } }],
  ['that resets booleans only', { put: { resets: ['email', 'exclude_bots'] }, fresh: { exclude_bots: 0 } }],
  ['that resets a list', { put: { resets: ['exclude_ips'] } }],
  ['whose responses show the old record', { writeAnswer: 'old', put: { resets: ['exclude_ips'] } }],
  ['whose responses show an ID', { writeAnswer: 'id', put: { resets: ['exclude_params'] } }],
  ['with empty responses and late lists', { writeAnswer: 'empty', lagMs: 300 }],
  [
    'that resets omitted settings and hides exclude_ips in lists',
    { hiddenInList: ['exclude_ips'], put: 'replace', fresh: { privacy: 0 } },
  ],
])('apply leaves undeclared settings unchanged on a service %s', async (_, dialect) => {
  const { service, folder } = await stocked(dialect);
  const result = await apply(service, folder);
  expect(result).toMatchObject({ code: 0, converged: true });
  expect(result.side_effects).toBeUndefined();
  expect(service.records()).toMatchObject(
    DOMAINS.map((domain) => ({ domain, ...KEPT, exclude_bots: 1, email: 1 })),
  );
  // One read before each update, one after it if the response does not show it, a list first and last.
  const before = service.requests.length;
  await writeFile(join(folder, 'websites.yaml'), declaring('email: false'));
  expect(await apply(service, folder)).toMatchObject({ code: 0 });
  expect(service.requests.length - before).toBeLessThanOrEqual(3 * DOMAINS.length + 5);
});

test('if updates reset privacy, apply affects only one website, and names it', async () => {
  const { service, folder } = await stocked({ put: { resets: ['privacy'] } });
  const result = await apply(service, folder);
  expect(result).toMatchObject({
    code: 4,
    summary: { updated: 1, failed: 3 },
    side_effects: [{ domain: 'a.example', field: 'privacy', before: 0, after: 1 }],
  });
  expect(service.records().map(({ privacy }) => privacy)).toEqual([1, 0, 0, 0]);
  expect(service.history.filter(({ before, after }) => after.privacy < before.privacy)).toEqual([]);
  // Undo makes the website public again.
  service.dialect = { ...service.dialect, put: 'merge' };
  const undo = ['undo', '--auto-approve', '--allow-updates', '9'];
  const undone = await runInProcess(undo, folder, service.env);
  expect(undone.code).toBe(0);
  expect(service.records()).toMatchObject(DOMAINS.map((domain) => ({ domain, ...KEPT, email: 0 })));
});

test('with a wrong "service.update", apply restores hidden values that updates reset', async () => {
  const dialect: Partial<Dialect> = { put: { resets: ['favorited_at'] }, hiddenInList: ['favorited_at'] };
  const { service, folder } = await stocked(dialect);
  service.change(1, { favorited_at: null });
  await writeFile(join(folder, 'websites.yaml'), PINNED);
  const result = await apply(service, folder);
  // Updates that were in flight with it are restored as well.
  expect(result.restored?.[0]).toMatchObject({ field: 'favorited_at' });
  const { favorited_at: favorite } = KEPT;
  const kept = service.records().map((record) => record.favorited_at);
  expect(kept).toEqual([null, favorite, favorite, favorite]);
});

test('with a wrong "service.update", apply stops after the first reset and restores it', async () => {
  const { service, folder } = await stocked({ put: { resets: ['exclude_ips'] } });
  await writeFile(join(folder, 'websites.yaml'), PINNED);
  const result = await apply(service, folder);
  expect(result).toMatchObject({ code: 4, summary: { updated: 1, not_attempted: 3 } });
  expect(result.stopped).toContain('service.update');
  expect(service.records()).toMatchObject(DOMAINS.map((domain) => ({ domain, ...KEPT })));
});

async function killed(setting?: string) {
  const dialect: Partial<Dialect> = { put: { resets: ['exclude_ips', 'favorited_at'] } };
  const { service, folder } = await stocked(dialect, setting);
  // The response to the update never arrives.
  service.faults = ({ method }) => (method === 'PUT' ? { kind: 'hang', when: 'after' } : undefined);
  const options = { cwd: folder, env: { ...service.env, WEBSITES_REQUEST_TIMEOUT: '1s' } };
  const args = ['apply', '--auto-approve', '--allow-updates', '9'];
  const running = startCli(args, options);
  while (service.history.length === 0) await new Promise((done) => setTimeout(done, 5));
  running.child.kill('SIGKILL');
  await running.ended;
  service.faults = undefined;
  expect(service.records()[0]).toMatchObject({ exclude_ips: null, favorited_at: null });
  const next = (...more: string[]) => runBuilt([...args, ...more], options);
  return { service, folder, options, next };
}

const LOST = 'exclude_ips of a.example (#1) (was 192.0.2.1, is empty)';

test('apply after a killed update names the settings that it reset, and undo restores them', async () => {
  const { service, folder, options, next } = await killed();
  const [name = ''] = await readdir(join(folder, '.websites', 'runs'));
  const run = name.replace('.ndjson', '');
  const named = await next();
  expect(named).toMatchObject({ code: 0, stderr: expect.stringContaining(`"websites undo ${run}"`) });
  expect(named.stderr).toContain(LOST);
  expect(service.records()[0]).toMatchObject({ exclude_ips: null, favorited_at: null });
  expect((await next()).stderr).not.toContain(LOST);
  service.dialect = { ...service.dialect, put: 'merge' };
  const undone = await runBuilt(['undo', run, '--auto-approve', '--allow-updates', '9'], options);
  expect(undone.code).toBe(0);
  expect(service.records()[0]).toMatchObject({ exclude_ips: KEPT.exclude_ips });
});

test('apply after a killed update keeps a later edit by another client, and names it', async () => {
  const { service, next } = await killed();
  service.change(1, { exclude_ips: '198.51.100.7' });
  const { stderr } = await next();
  expect(stderr).toContain('(was 192.0.2.1, is 198.51.100.7)');
  expect(service.records()[0]).toMatchObject({ exclude_ips: '198.51.100.7', favorited_at: null });
});

test('apply names what a killed update reset, even if a declared setting was edited since', async () => {
  const { service, next } = await killed('email: true, exclude_params: [x]');
  service.change(1, { exclude_params: 'ref' });
  expect((await next()).stderr).toContain(LOST);
});

test('the note about a killed update escapes control characters', async () => {
  const { service, next } = await killed();
  service.change(1, { exclude_params: 'a\u001b[2Jb' });
  const { stderr } = await next();
  expect(stderr).toContain('is a\\u001b[2Jb)');
  expect(stderr).not.toContain('\u001b');
});

test('the note about a killed update names no setting of a deleted record', async () => {
  const { service, next } = await killed();
  service.remove(1);
  const { code, stderr } = await next();
  expect(code).toBe(0);
  expect(stderr).not.toContain('was 192.0.2.1');
});
