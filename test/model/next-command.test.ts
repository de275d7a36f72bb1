import { expect, test } from 'vitest';
import { applyCommand, runsCommand, whereOf } from '../../src/model/next-command.ts';

const SAID = {
  files: ' -f sites',
  service: ' --base-url https://a.example',
  selection: ' --domain a.example',
};

test('a saved plan knows its files, and not where state and service are', () => {
  expect(applyCommand('plan.json', SAID)).toBe('websites apply plan.json --base-url https://a.example');
});

test('runs are listed by files and folders alone, which say where they are', () => {
  expect(runsCommand({ target: 'staging' }, SAID)).toBe('websites runs -f sites --target staging');
});

test('flags of files, service and selection are repeated, and no others', () => {
  const given = {
    file: ['sites', 'more sites/*.yaml'],
    'base-url': 'https://a.example',
    'api-key-file': "it's here",
    prune: false,
    domain: ['*.example', 'b.test'],
    exclude: ['c.test'],
    since: 'main~1',
    only: 'config',
    target: 'eu',
  };
  expect(whereOf(given)).toEqual({
    files: ` -f sites -f 'more sites/*.yaml'`,
    service: " --base-url https://a.example --api-key-file 'it'\\''s here'",
    selection: ` --domain '*.example' --domain b.test --exclude c.test --since 'main~1' --only config --no-prune`,
  });
  expect(whereOf({ prune: true }).selection).toBe(' --prune');
});

test('a value that begins with a dash is not written as a flag', () => {
  const given = { file: ['-', '-x.yaml'], 'api-key-file': '-s' };
  expect(whereOf(given)).toEqual({
    files: ' -f - -f ./-x.yaml',
    service: ' --api-key-file ./-s',
    selection: '',
  });
});

test('flags missing on the command line are not written', () => {
  expect(whereOf({})).toEqual({ files: '', service: '', selection: '' });
});
