import { hostname, userInfo } from 'node:os';
import { expect, test } from 'vitest';
import { madeBy } from '../../src/sync/connect.ts';

const HERE = `${userInfo().username}@${hostname()}`;
const GITHUB = {
  GITHUB_ACTOR: 'ada',
  GITHUB_SHA: 'cafe',
  GITHUB_SERVER_URL: 'https://github.example',
  GITHUB_REPOSITORY: 'team/sites',
  GITHUB_RUN_ID: '7',
};
const GITLAB = { GITLAB_USER_LOGIN: 'bob', CI_COMMIT_SHA: 'beef' };

test.each([
  [
    'GitHub',
    { ...GITHUB, GITHUB_RUN_ATTEMPT: '2', GITHUB_TRIGGERING_ACTOR: 'eve' },
    { actor: 'eve', commit: 'cafe', url: 'https://github.example/team/sites/actions/runs/7/attempts/2' },
  ],
  [
    'GitHub without an attempt',
    GITHUB,
    { actor: 'ada', commit: 'cafe', url: 'https://github.example/team/sites/actions/runs/7/attempts/1' },
  ],
  ['GitHub without a run', { GITHUB_ACTOR: 'ada' }, { actor: 'ada' }],
  [
    'GitLab',
    { ...GITLAB, CI_JOB_URL: 'https://gitlab.example/-/jobs/1' },
    { actor: 'bob', commit: 'beef', url: 'https://gitlab.example/-/jobs/1' },
  ],
  ['a machine', {}, { actor: HERE }],
])('a plan records who made it: %s', (_, env, known) => {
  expect(madeBy(env)).toEqual(known);
});

test('a plan cuts recorded values about its author to 500 characters', () => {
  expect(madeBy({ ...GITLAB, GITLAB_USER_LOGIN: 'x'.repeat(1000) }).actor).toHaveLength(500);
});
