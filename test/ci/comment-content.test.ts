/** Runs scripts/action-comment.mjs: what it adds to a report, and which pull request it finds. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../support/cli.ts';
import { startFakeGitHub } from '../support/github/api.ts';
import { runProcess } from '../support/process.ts';

const [HEAD, MERGE] = ['abcdef0'.padEnd(40, '1'), '1234567'.padEnd(40, '2')];
const REPORT = `<!-- websites-as-code:plan -->

## Websites: 1 to create

| Risk | What |
| --- | --- |
| **high** | privacy loosened |

the rest
`;
const COUNTS = { CREATE: '1', UPDATE: '0', DELETE: '0', EXIT_CODE: '0' };

interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly event?: object;
  readonly report?: string;
  readonly mergedAt?: string | null;
}

async function commented({
  env = {},
  event = {},
  report = REPORT,
  mergedAt = '2026-01-31T09:00:00Z',
}: Given) {
  const github = await startFakeGitHub();
  github.pulls.push(
    { number: 3, merge_commit_sha: HEAD, merged_at: mergedAt, head: { sha: MERGE } },
    { number: 8, merge_commit_sha: MERGE, merged_at: mergedAt, head: { sha: HEAD } },
  );
  const folder = await testFolder({ 'report.md': report, 'event.json': JSON.stringify(event) });
  const { text } = await runProcess(
    process.execPath,
    ['scripts/action-comment.mjs', join(folder, 'report.md')],
    {
      cwd: process.cwd(),
      env: {
        GITHUB_TOKEN: github.token,
        GITHUB_EVENT_PATH: join(folder, 'event.json'),
        GITHUB_REPOSITORY: github.repository,
        GITHUB_API_URL: github.url,
        GITHUB_GRAPHQL_URL: `${github.url}/graphql`,
        GITHUB_SERVER_URL: 'https://github.test',
        GITHUB_RUN_ID: '42',
        GITHUB_SHA: MERGE,
        ...env,
      },
    },
  );
  return { text, comments: github.comments.map(({ issue, body }) => ({ issue, body })) };
}

const PULL_REQUEST = { pull_request: { number: 7, head: { sha: HEAD } } };

test('a plan comment begins with risky changes, the effect of a merge, and links', async () => {
  const env = { ...COUNTS, UPDATE: '20', DELETE: '1', REPORT_ARTIFACT: 'websites-report' };
  const { text, comments } = await commented({ env, event: PULL_REQUEST });
  expect(text).toBe('');
  const run = 'https://github.test/example/websites/actions/runs/42';
  const body = REPORT.replace(
    '\nthe rest',
    `
**Merging this** creates 1 website, updates 20 websites and deletes 1 record with all data on the service.

Plan of commit [abcdef0](https://github.test/example/websites/commit/${HEAD}) · [Run](${run}) · [HTML report](${run}#artifacts)

the rest`,
  );
  expect(comments).toEqual([{ issue: 7, body }]);
});

test.for([
  { env: { EXIT_CODE: '5', DELETE: '30' }, said: 'applies nothing: a guard blocks the plan.' },
  { env: { EXIT_CODE: '1', CREATE: '' }, said: 'applies nothing: the plan failed.' },
  { env: { CREATE: '0' }, said: 'changes nothing on the service.' },
])('the plan comment states that a merge $said', async ({ env, said }) => {
  const { comments } = await commented({ env: { ...COUNTS, ...env }, event: PULL_REQUEST });
  expect(comments[0]?.body).toContain(`**Merging this** ${said}\n`);
  expect(comments[0]?.body).not.toContain('HTML report');
});

test('a report at the length limit is posted whole', async () => {
  const report = REPORT.padEnd(63_999, 'x').concat('\n');
  const env = { ...COUNTS, COMMENT_NAME: 'x'.repeat(100), REPORT_ARTIFACT: 'websites-report' };
  const { comments } = await commented({ env, event: PULL_REQUEST, report });
  expect(comments[0]?.body).toMatch(/x\n$/);
});

test('the result of an apply is posted on the merged pull request, with its own marker', async () => {
  const report = '<!-- websites-as-code:plan -->\n\n## Websites: failed\n';
  const { comments } = await commented({ env: { COMMAND: 'apply' }, report });
  expect(comments).toEqual([
    {
      issue: 8,
      body: expect.stringMatching(
        /^<!-- websites-as-code:result -->\n\n## Websites: failed\n\nCommit \[1234567\]/,
      ),
    },
  ]);
});

test.for([
  { why: 'no pull request was merged', env: { COMMAND: 'apply' }, mergedAt: null },
  { why: 'a plan runs after a push', env: COUNTS },
])('if $why, a notice explains that there is no comment', async ({ env, mergedAt }) => {
  const more = mergedAt === null ? { mergedAt } : {};
  const ran = await commented({ env: { ...env, GITHUB_EVENT_NAME: 'push' }, ...more });
  expect(ran).toEqual({
    text: expect.stringMatching(/^::notice::The (?:plan|result) is in the job summary only: the event push /),
    comments: [],
  });
});
