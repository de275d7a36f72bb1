/** Records with invalid values affect only themselves. */
import { expect, test } from 'vitest';
import type { Plan } from '../../src/model/plan.ts';
import type { Result } from '../../src/model/run.ts';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { type Dialect, type ScriptedService, scripted } from '../support/scripted-service.ts';

const DATE = { date: '2026-01-31 09:00:00.000000', timezone_type: 3, timezone: 'UTC' };
const RECORDS = ['a.example', 'b.example', 'c.example', 'd.example'].map((domain) => ({
  domain,
  exclude_ips: '192.0.2.1',
}));

const ODD: readonly [what: string, odd: object][] = [
  ['a date as an object', { favorited_at: DATE }],
  ['a word instead of a number', { email: 'yes' }],
  ['a number that is too large', { privacy: 1e17 }],
  ['a list instead of a number', { exclude_bots: [1] }],
  ['numbers in a list of strings', { exclude_ips: [1, 2] }],
  ['an object instead of a string', { exclude_params: { 0: 'utm' } }],
  ['a time that does not exist', { favorited_at: '2026-02-31 09:00:00' }],
];

async function odd(shown: object, more: Partial<Dialect> = {}): Promise<ScriptedService> {
  return scripted({ dialect: { odd: { 'c.example': shown }, ...more }, records: RECORDS });
}

async function run(service: ScriptedService, yaml: string, line: string) {
  return runInProcess(line.split(' '), await testFolder({ 'websites.yaml': yaml }), service.env);
}

async function apply(service: ScriptedService, yaml: string) {
  const line = 'apply --auto-approve --prune --format json --allow-deletes 9';
  const { code, stdout } = await run(service, yaml, line);
  return { code, result: JSON.parse(stdout) as Result };
}

test.each(ODD)('a record with %s affects only itself in plan, apply, export and doctor', async (_, shown) => {
  const [field = ''] = Object.keys(shown);
  const service = await odd(shown);
  const yaml = 'version: 1\nwebsites: [a.example, c.example, new.example]\n';
  const planned = await run(service, yaml, 'plan --prune --format json');
  const plan = JSON.parse(planned.stdout) as Plan;
  expect(plan.changes.map(({ action, domain }) => `${action} ${domain}`)).toEqual([
    'create new.example',
    'delete b.example',
    'delete d.example',
  ]);
  expect(plan.warnings).toContainEqual(
    expect.objectContaining({
      code: 'value-unreadable',
      message: expect.stringMatching(new RegExp(`${field} of c\\.example: .*returned a`)),
    }),
  );
  const exported = await run(service, yaml, 'export');
  expect(exported).toMatchObject({ code: 0, stdout: expect.stringContaining('c.example') });
  expect(exported.stderr).toContain(field);
  const { stdout: doctor } = await run(service, yaml, 'doctor --format json');
  expect(JSON.parse(doctor).unreadable).toEqual([expect.stringContaining(`${field} of c.example`)]);
  expect(await apply(service, yaml)).toMatchObject({ code: 0, result: { converged: true } });
  expect(service.records().map(({ domain }) => domain)).toEqual(['a.example', 'c.example', 'new.example']);
});

test('apply sends a setting with an unreadable value only together with another change', async () => {
  const service = await odd({ favorited_at: DATE });
  const declaring = (setting: string) =>
    `websites: [{ domain: c.example${setting}, favorited_at: 2026-02-01T09:00:00 }, a.example, b.example, d.example]\n`;
  const idle = await apply(service, declaring(''));
  expect([idle.code, service.requests.filter(({ method }) => method === 'PUT')]).toEqual([0, []]);
  await apply(service, declaring(', email: true'));
  expect(service.records()[2]).toMatchObject({
    email: 1,
    favorited_at: expect.stringContaining('2026-02-01'),
  });
});

const yaml =
  'version: 1\nwebsites: [{ domain: a.example, email: true }, b.example, { domain: c.example, email: true }, d.example]\n';

test('with "update: full", an update that would include an unreadable setting fails', async () => {
  const service = await odd({ favorited_at: DATE });
  const { code, result } = await apply(service, `service: { update: full }\n${yaml}`);
  expect(code).toBe(4);
  expect(result.failures.map(({ domain }) => domain)).toEqual(['c.example']);
  expect(JSON.stringify(result.failures)).toMatch(/favorited_at cannot be sent.*service.update/);
  expect(service.records()).toMatchObject([{ email: 1 }, {}, { email: 0 }, {}]);
});

test('with "update: changed", an update omits an unreadable setting and succeeds', async () => {
  const service = await odd({ favorited_at: DATE });
  const { code } = await apply(service, `service: { update: changed }\n${yaml}`);
  expect(code).toBe(0);
  expect(service.records()).toMatchObject([{ email: 1 }, {}, { email: 1 }, {}]);
});

test.each([[null], [7], [{ name: 'c.example' }], ['']])('a record with domain %j is kept', async (domain) => {
  const service = await odd({ domain });
  const yaml = 'version: 1\nwebsites: [a.example, new.example]\n';
  const { stdout } = await run(service, yaml, 'plan --prune --format json');
  expect((JSON.parse(stdout) as Plan).warnings).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('domain of record #3') }),
  );
  expect(await apply(service, yaml)).toMatchObject({ code: 0, result: { converged: true } });
  expect(service.records().map((record) => record.domain)).toEqual(['a.example', 'c.example', 'new.example']);
  expect(await run(service, yaml, 'export')).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('#3'),
  });
});

test('apply exits with 1 if no record in the list has a domain', async () => {
  const odds = Object.fromEntries(RECORDS.map(({ domain }) => [domain, { domain: null }]));
  const service = await scripted({ dialect: { odd: odds }, records: RECORDS });
  const yaml = 'version: 1\nwebsites: [new.example]\n';
  const { code, stderr } = await run(service, yaml, 'apply --auto-approve');
  expect([code, service.records()]).toMatchObject([1, { length: 4 }]);
  expect(stderr).toContain('data.0.domain');
});

test('plan exits with 1 and names the reason if an ID is too large to be exact', async () => {
  const service = await odd({ id: 2 ** 53 });
  const { code, stderr } = await run(service, 'version: 1\nwebsites: [new.example]\n', 'plan');
  expect(code).toBe(1);
  expect(stderr).toContain('the number is too large to be exact');
});
