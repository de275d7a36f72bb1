/** A service that shows one id for two websites, through the command line. */
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

test.each<[string, Record<string, number>]>([
  ['in its list', { 'a.example': 1 }],
  ['in its list and by itself', { 'a.example': 1, 'keep.example': 2 }],
])('%s: neither is touched, and an error names the line, the id and both', async (_, ids) => {
  const service = await mixed(ids);
  const cwd = await testFolder({ 'websites.yaml': FILE });
  const args = ['apply', '--auto-approve', '--prune', '--format', 'json'];
  const { code, stdout } = await runInProcess(args, cwd, service.env);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    code: 'plan-impossible',
    problems: [{ message: expect.stringContaining('#1 for a.example and keep.example'), place: { line: 4 } }],
  });
  expect(written(service)).toEqual([]);
});

test('others are changed where it is excluded, and nothing is pruned', async () => {
  const service = await mixed({ 'a.example': 1 });
  const cwd = await testFolder({ 'websites.yaml': FILE });
  const apply = (flag: string) =>
    runInProcess(['apply', '--auto-approve', '--exclude', 'a.example', flag], cwd, service.env);
  expect((await apply('--prune')).code).toBe(5);
  expect(written(service)).toEqual([]);
  const { code, stdout, stderr } = await apply('--no-prune');
  expect(code).toBe(0);
  expect(written(service)).toEqual(['PUT /api/v1/websites/3']);
  expect(stdout + stderr).toContain('#1 for a.example and keep.example');
});
