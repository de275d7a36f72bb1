import { expect, test } from 'vitest';
import { applyCommand, runsCommand } from '../../src/model/next-command.ts';

const SAID = {
  files: ' -f sites',
  service: ' --base-url https://a.example',
  selection: ' --domain a.example',
};

test('a saved plan knows its files, and not where state and service are', () => {
  expect(applyCommand('plan.json', SAID)).toBe('websites apply plan.json --base-url https://a.example');
});

test('runs are listed by files and folders alone, which say where they are', () => {
  expect(runsCommand({ service: { target: 'staging' } }, SAID)).toBe(
    'websites runs -f sites --target staging',
  );
});
