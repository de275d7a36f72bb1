import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { layOutRevision } from '../../src/sync/revision.ts';
import { testFolder } from '../support/cli.ts';
import { git } from '../support/scratch-repo.ts';

test('what Git runs for it is not handed the key of the service', async () => {
  const top = await testFolder();
  const [folder, seen] = [join(top, 'repo'), join(top, 'seen')];
  mkdirSync(folder);
  writeFileSync(join(folder, 'websites.yaml'), 'websites: []\n');
  writeFileSync(join(folder, '.gitattributes'), '*.yaml filter=look\n');
  git(folder, 'init', '--quiet');
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'First');
  git(folder, 'config', 'filter.look.smudge', `env > '${seen}'; cat`);
  vi.stubEnv('WEBSITES_API_KEY', 'do-not-hand-me-on');
  onTestFinished(() => void vi.unstubAllEnvs());
  const revision = await layOutRevision('HEAD', folder);
  await revision.dispose();
  const text = readFileSync(seen, 'utf8');
  expect(text).toContain('GIT_INDEX_FILE=');
  expect(text).not.toContain('do-not-hand-me-on');
});
