import { expect, test } from 'vitest';
import {
  applyCommand,
  NOT_SAID,
  resumeCommand,
  runsCommand,
  settleCommand,
} from '../../src/model/next-command.ts';

const SAID = {
  files: ' -f sites',
  folders: ' --state-folder state',
  service: ' --base-url https://a.example',
  selection: ' --domain a.example',
};

test.each([
  [{ service: {}, options: {} }, NOT_SAID, 'websites apply --resume'],
  [
    { service: {}, options: { shard: { index: 0, count: 8 } } },
    SAID,
    'websites apply --resume -f sites --state-folder state --base-url https://a.example --shard 0/8',
  ],
  [
    { service: { target: 'staging' }, options: { shard: { index: 2, count: 3 } } },
    NOT_SAID,
    'websites apply --resume --target staging --shard 2/3',
  ],
])('a run is gone on with where it was', (scope, where, command) => {
  expect(resumeCommand(scope, where)).toBe(command);
});

test('a saved plan knows its files, and not where state and service are', () => {
  expect(applyCommand('plan.json', SAID)).toBe(
    'websites apply plan.json --state-folder state --base-url https://a.example',
  );
});

test('runs are listed by files and folders alone, which say where they are', () => {
  expect(runsCommand({ service: { target: 'staging' } }, SAID)).toBe(
    'websites runs -f sites --state-folder state --target staging',
  );
  expect(settleCommand('RUN', { service: {} }, SAID)).toBe(
    'websites runs RUN --settled -f sites --state-folder state',
  );
});
