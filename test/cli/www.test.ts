import { expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { scripted } from '../support/scripted-service.ts';

const WEBSITES = 'websites: [www.first.example, www.second.example, plain.example]\n';

async function start(www: 'strip' | 'keep', ...inserted: readonly string[]) {
  const service = await scripted({ dialect: { www } });
  onTestFinished(() => service.close());
  for (const domain of inserted) service.insert(domain);
  const websites = async (pin = '') => {
    const folder = await testFolder({ 'websites.yaml': pin + WEBSITES });
    return (command: string) => runInProcess(command.split(' '), folder, service.env);
  };
  const domains = () => service.records().map(({ domain }) => domain);
  return { websites, domains };
}

const APPLY = 'apply --auto-approve';
const PIN = 'service: { www: same }\n';

test('if a service strips www, apply suggests service.www, and the next one fails without it', async () => {
  const { websites, domains } = await start('strip');
  const run = await websites();
  const first = await run(APPLY);
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('Verified: 3 of 3 changes.') });
  expect(first.stdout).toContain(
    'www.first.example: the service stored it as first.example: set "service.www" to "same".',
  );
  expect(domains().sort()).toEqual(['first.example', 'plain.example', 'second.example']);

  const second = await run(APPLY);
  expect(second).toMatchObject({ code: 1, stdout: '' });
  expect(second.stderr).toContain(
    'www.first.example has no record, and first.example has one: they may be one website.',
  );
  expect(second.stderr).toContain('help: Set "service.www" to "same" if they are, otherwise to "distinct".');

  const pinned = await (await websites(PIN))(APPLY);
  expect(pinned).toMatchObject({ code: 0, stdout: expect.stringContaining('No changes.') });
});

test.each([
  ['no www record', []],
  ['an undeclared www record', ['www.old.example']],
])('if a service keeps www and has %s, the second apply has no changes', async (_, inserted) => {
  const { websites, domains } = await start('keep', ...inserted);
  const run = await websites();
  const first = await run(APPLY);
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('Verified: 3 of 3 changes.') });
  expect(first.stdout).not.toContain('service.www');
  expect(await run(APPLY)).toMatchObject({ code: 0, stdout: expect.stringContaining('No changes.') });
  expect(domains()).toEqual(expect.arrayContaining(['www.first.example', 'www.second.example']));
});

test('if a service strips www of new records only, the first apply names service.www', async () => {
  const { websites, domains } = await start('strip', 'www.old.example');
  const first = await (await websites())(APPLY);
  expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('Verified: 3 of 3 changes.') });
  expect(first.stdout).toContain('set "service.www" to "same"');
  const pinned = await (await websites(PIN))(APPLY);
  expect(pinned).toMatchObject({ code: 0, stdout: expect.stringContaining('No changes.') });
  expect(domains()).toContain('www.old.example');
});
