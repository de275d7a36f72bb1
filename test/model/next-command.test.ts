import { expect, test } from 'vitest';
import { applyCommand, nextFlagsOf, runsCommand } from '../../src/model/next-command.ts';

const SAID = {
  files: ' -f sites',
  service: ' --base-url https://a.example',
  selection: ' --domain a.example',
};

test('the suggested command to apply a saved plan repeats only flags for the service', () => {
  expect(applyCommand('plan.json', SAID)).toBe('websites apply plan.json --base-url https://a.example');
});

test('the suggested command to list runs repeats only flags for files and target', () => {
  expect(runsCommand({ target: 'staging' }, SAID)).toBe('websites runs -f sites --target staging');
});

test('a suggested command repeats flags for files, service and selection only', () => {
  const given = {
    file: ['sites', 'more sites/*.yaml'],
    baseUrl: 'https://a.example',
    apiKeyFile: "it's here",
    prune: false,
    domain: ['*.example', 'b.test'],
    exclude: ['c.test'],
    since: 'main~1',
    only: 'config',
    target: 'eu',
  };
  expect(nextFlagsOf(given)).toEqual({
    files: ` -f sites -f 'more sites/*.yaml'`,
    service: " --base-url https://a.example --api-key-file 'it'\\''s here'",
    selection: ` --domain '*.example' --domain b.test --exclude c.test --since 'main~1' --only config --no-prune`,
  });
  expect(nextFlagsOf({ prune: true }).selection).toBe(' --prune');
});

test('a suggested command writes a file name that begins with a dash as a path', () => {
  const given = { file: ['-', '-x.yaml'], apiKeyFile: '-s' };
  expect(nextFlagsOf(given)).toEqual({
    files: ' -f - -f ./-x.yaml',
    service: ' --api-key-file ./-s',
    selection: '',
  });
});

test('a suggested command has no flags that were not given', () => {
  expect(nextFlagsOf({})).toEqual({ files: '', service: '', selection: '' });
});
