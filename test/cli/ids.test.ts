/** Commands on a service that shows one ID for two domains. */
import { expect, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { type ScriptedService, scripted } from '../support/scripted-service.ts';

const FILE = `version: 1
protected: [keep.example]
websites:
  - { domain: a.example, email: true, exclude_ips: [192.0.2.1] }
  - { domain: b.example, email: true }
`;

async function mixed(ids: Readonly<Record<string, number>>): Promise<ScriptedService> {
  const service = await scripted({
    dialect: { hiddenInList: ['exclude_ips'] },
    records: ['keep.example', 'a.example', 'b.example'],
  });
  const listedAs: ScriptedService['dialect']['listedAs'] = (records, isSearch) =>
    isSearch ? records : records.map((record) => ({ ...record, id: ids[record.domain] ?? record.id }));
  service.dialect = { ...service.dialect, listedAs };
  return service;
}

const written = ({ requests }: ScriptedService): string[] =>
  requests.flatMap(({ method, path }) => (method === 'GET' ? [] : `${method} ${path}`));

test.each<[string, Record<string, number>, string]>([
  ['in the list', { 'a.example': 1 }, '--prune'],
  ['in the list, one of them excluded', { 'a.example': 1 }, '--exclude=a.example'],
  ['in the list and as a single record', { 'a.example': 1, 'keep.example': 2 }, '--prune'],
])('apply exits with 1 and writes nothing if one ID has two domains %s', async (_, ids, flag) => {
  const service = await mixed(ids);
  const cwd = await testFolder({ 'websites.yaml': FILE });
  const args = ['apply', '--auto-approve', flag, '--format', 'json'];
  const { code, stdout } = await runInProcess(args, cwd, service.env);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    code: 'id-mismatch',
    message: expect.stringContaining('#1 for a.example and keep.example'),
  });
  expect(written(service)).toEqual([]);
});

test.each([
  ['doctor', 0, 'records'],
  ['list', 0, 'b.example'],
  ['drift', 2, 'b.example'],
  ['drift --domain a.example', 5, 'not compared'],
])('%s names an ID that the service shows for two domains, and continues', async (command, code, shown) => {
  const service = await mixed({ 'a.example': 1 });
  const cwd = await testFolder({ 'websites.yaml': FILE });
  const ran = await runInProcess(command.split(' '), cwd, service.env);
  expect(ran).toMatchObject({ code });
  expect(ran.stdout + ran.stderr).toContain('#1 for a.example and keep.example');
  expect(ran.stdout + ran.stderr).toContain(shown);
  expect(ran.stdout + ran.stderr).not.toContain('id-mismatch');
});

test('drift names an ID that two domains share, and compares the other domains', async () => {
  const service = await mixed({ 'a.example': 1, 'keep.example': 2 });
  const cwd = await testFolder({ 'websites.yaml': FILE });
  const { code, stdout, stderr } = await runInProcess(['drift'], cwd, service.env);
  expect(code).toBe(2);
  expect(stdout + stderr).toContain('#1 for a.example and keep.example');
  expect(stdout).toContain('b.example');
});
