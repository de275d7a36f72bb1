import { expect, test } from 'vitest';
import type { Result } from '../../src/model/run.ts';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { scripted } from '../support/scripted-service.ts';

const FILE = 'service: { www: distinct }\nwebsites: [a.example, b.example]\n';

async function workshop(file = FILE) {
  const service = await scripted();
  const folder = await testFolder({ 'websites.yaml': file });
  const { env } = service;
  const run = (line: string) => runInProcess(line.split(' '), folder, env);
  return { service, run };
}

test('apply --domain verifies the changes of the selected domain', async () => {
  const { run } = await workshop();
  const { code, stdout } = await run('apply --domain a.example --auto-approve');
  expect([code, stdout]).toEqual([0, expect.stringContaining('Verified: 1 of 1 change.')]);
  const json = await run('apply --auto-approve --format json --no-prune --exclude x.example');
  expect(JSON.parse(json.stdout) as Result).toMatchObject({
    converged: true,
    selection: '--exclude x.example --no-prune',
  });
});

test('apply and undo verify a record that matches through its www variant', async () => {
  const { service, run } = await workshop(
    'service: { www: same }\nwebsites: [{ domain: a.example, email: true }]\n',
  );
  service.insert('www.a.example');
  for (const line of ['plan --out p.json', 'apply p.json', 'undo --auto-approve', 'apply --auto-approve']) {
    expect(await run(line), line).toMatchObject({ code: 0 });
  }
  expect(service.records()).toMatchObject([{ domain: 'www.a.example', email: 1 }]);
});

test('apply reads single records to verify a field that lists hide', async () => {
  const dialect = { hiddenInList: ['favorited_at'], nulls: 'left out', zoneHours: 2 } as const;
  const service = await scripted({ dialect, records: [{ domain: 'a.example' }] });
  const websites =
    '{ domain: a.example, email: true }, { domain: b.example, favorited_at: 2026-01-31T09:00:00 }';
  const folder = await testFolder({ 'websites.yaml': `websites: [${websites}]\n` });
  const args = 'apply --auto-approve --format json --allow-updates 1'.split(' ');
  const { code, stdout } = await runInProcess(args, folder, service.env);
  expect(code).toBe(4);
  expect(JSON.parse(stdout) as Result).toMatchObject({ residual: [{ field: 'favorited_at' }] });
});

test('apply names a setting that it cannot verify because the service never shows it', async () => {
  const dialect = { hiddenInList: ['favorited_at'], hiddenInRead: ['favorited_at'] };
  const records = [{ domain: 'a.example', exclude_params: 'a', exclude_ips: '192.0.2.1' }];
  const service = await scripted({ dialect, records });
  const websites = '[{ domain: a.example, favorited_at: 2026-01-31T09:00:00 }]';
  const folder = await testFolder({ 'websites.yaml': `websites: ${websites}\n` });
  const { stdout } = await runInProcess(['apply', '--auto-approve'], folder, service.env);
  expect(stdout).toContain('Not verified, because the service did not show it: favorited_at of 1 record.');
});

test('apply names a lost setting even if a late list still shows its old value', async () => {
  const hidden = ['exclude_params'];
  const dialect = { hiddenInList: hidden, hiddenInRead: hidden, nulls: 'left out', put: 'replace' } as const;
  const records = [{ domain: 'a.example', exclude_params: 'a', exclude_ips: '192.0.2.1' }];
  const service = await scripted({ dialect, records });
  service.dialect = { ...service.dialect, lagMs: 60_000 };
  const websites = '[{ domain: a.example, privacy: 1, exclude_params: [b] }]';
  const folder = await testFolder({ 'websites.yaml': `websites: ${websites}\n` });
  const { code, stdout } = await runInProcess(['apply', '--auto-approve'], folder, service.env);
  expect(stdout).toContain('a.example (#1) exclude_ips: 192.0.2.1 → []');
  expect(code).toBe(4);
});

test('apply exits with 3 if the service rejects the key during verification', async () => {
  const { service, run } = await workshop();
  service.faults = ({ method }) =>
    method === 'GET' && service.records().length === 2
      ? { kind: 'status', status: 401, when: 'before', body: '{"message":"Unauthenticated."}' }
      : undefined;
  const { code, stdout } = await run('apply --auto-approve --format json');
  expect(code).toBe(3);
  expect(JSON.parse(stdout) as Result).toMatchObject({ converged: null, summary: { created: 2 } });
});

test('apply with an invalid --exclude pattern exits with 1 before any request', async () => {
  const { service, run } = await workshop();
  const { code, stderr } = await run('apply --auto-approve --exclude a.example,b.example');
  expect([code, stderr]).toEqual([1, expect.stringContaining('valid domain pattern: it contains ","')]);
  expect(service.requests).toEqual([]);
});

test('apply --domain verifies its change even if another website cannot be planned', async () => {
  const { run } = await workshop('websites: [a.example, { domain: b.example, privacy: password }]\n');
  expect((await run('plan')).stderr).toContain('cannot be planned');
  const { code, stdout } = await run('apply --domain a.example --auto-approve');
  expect([code, stdout]).toEqual([0, expect.stringContaining('Verified: 1 of 1 change.')]);
});

test('apply of a saved plan and undo verify their changes', async () => {
  const { service, run } = await workshop();
  service.insert('b.example');
  await run('plan --out plan.json');
  service.remove(1);
  const said = 'Verified: 1 of 1 change.';
  const { stdout } = await run('apply plan.json --format json');
  expect(JSON.parse(stdout) as Result).toMatchObject({ converged: true });
  expect((await run('plan --detailed-exitcode')).code).toBe(2);
  expect((await run('undo --auto-approve --allow-deletes 1')).stdout).toContain(said);
});

test.each(['ü*.example', '*', 'a b.example'])(
  'apply of a saved plan deletes a record called %j and verifies that',
  async (odd) => {
    const { service, run } = await workshop();
    for (const domain of ['a.example', 'b.example', odd]) service.insert(domain);
    await run('plan --prune --out plan.json');
    const { code, stdout } = await run('apply plan.json --format json');
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { converged: true }]);
    expect(service.records().map(({ domain }) => domain)).toEqual(['a.example', 'b.example']);
  },
);

test('a delete without a response stays unknown if the service cannot show single records', async () => {
  const { service, run } = await workshop('websites: [b.example, { domain: a.example, state: absent }]\n');
  for (const domain of ['a.example', 'b.example']) service.insert(domain);
  service.faults = ({ method, path }) => {
    if (method === 'DELETE') return { kind: 'reset', when: 'before' };
    return /\d$/.test(path) ? { kind: 'status', status: 404, when: 'before' } : undefined;
  };
  const { code, stdout } = await run('apply --auto-approve --format json --timeout 1 --allow-deletes 1');
  const expected = { failures: [{ outcome: 'unknown' }], notes: [], summary: { deleted: 0 } };
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 4, ...expected });
});
