/** A service that shows one id for two domains, through the command line. */
import { expect, test } from 'vitest';
import { type ActingService, act } from '../support/acting-service.ts';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';

const FILE = `version: 1
protected: [keep.example]
websites:
  - { domain: a.example, email: true, exclude_ips: [192.0.2.1] }
  - { domain: b.example, email: true }
`;

async function mixed(ids: Readonly<Record<string, number>>): Promise<ActingService> {
  const service = await act({
    dialect: { hiddenInList: ['exclude_ips'] },
    records: ['keep.example', 'a.example', 'b.example'],
  });
  const listedAs: ActingService['dialect']['listedAs'] = (records, isSearch) =>
    isSearch ? records : records.map((record) => ({ ...record, id: ids[record.domain] ?? record.id }));
  service.dialect = { ...service.dialect, listedAs };
  return service;
}

const written = ({ requests }: ActingService): string[] =>
  requests.flatMap(({ method, path }) => (method === 'GET' ? [] : `${method} ${path}`));

test.each<[string, Record<string, number>, string]>([
  ['in its list', { 'a.example': 1 }, '--prune'],
  ['in its list and left out', { 'a.example': 1 }, '--exclude=a.example'],
  ['in its list and by itself', { 'a.example': 1, 'keep.example': 2 }, '--prune'],
])('an id that is shown for two domains %s ends a command that writes', async (_, ids, flag) => {
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

test.each(['doctor', 'list', 'drift'])('%s names an id that is shown for two domains', async (command) => {
  const service = await mixed({ 'a.example': 1 });
  const cwd = await testFolder({ 'websites.yaml': FILE });
  const { stdout, stderr } = await runInProcess([command], cwd, service.env);
  expect(stdout + stderr).toContain('#1 for a.example and keep.example');
});
