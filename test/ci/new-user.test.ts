/** Follows docs/ci.md step by step: from nothing to a plan on a pull request, its apply, and the drift after it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { artifact } from '../support/github/actions.ts';
import { copyWorkflows, HAS_JQ, startRepository } from '../support/github/repository.ts';
import { git } from '../support/scratch-repo.ts';
import type { TestService } from '../support/service.ts';

test.skipIf(!HAS_JQ)(
  'a repository with the example workflows gets a plan comment, an apply, and a drift issue',
  { timeout: 120_000 },
  async () => {
    const { github, repo, repository, service, plan, merge, start, domains, write } = await startRepository();

    // A repository with the workflows and a first websites.yaml, on main.
    copyWorkflows(repo.work);
    expect(await runCli(['init'], { cwd: repo.work })).toMatchObject({ code: 0 });
    expect(await runCli(['validate'], { cwd: repo.work })).toMatchObject({ code: 0 });
    repo.commit({});
    expect(await start('websites-apply.yml', 'apply')).toMatchObject({ conclusion: 'success' });
    const before = await domains();

    // A branch, an edit, a pull request: a comment has the plan, and nothing is written.
    git(repo.work, 'checkout', '--quiet', '-b', 'shop');
    const file = join(repo.work, 'websites.yaml');
    writeFileSync(file, `${readFileSync(file, 'utf8').trimEnd()}\n  - news.example.com\n`);
    repo.commit({});
    const planned = await plan('shop');
    expect(planned).toMatchObject({ conclusion: 'success' });
    expect(planned.summary).toContain('news.example.com');
    expect(github.comments).toMatchObject([{ issue: 7 }]);
    expect(github.comments[0]?.body).toMatch(/\*\*Merging this\*\* creates .*#artifacts/s);
    expect(readdirSync(artifact(repository, 102, 'websites-report'))).toEqual(['websites.html']);
    expect(existsSync(join(artifact(repository, 102, 'websites-plan'), 'websites-plan.json'))).toBe(true);

    // Another commit: the same comment, another plan.
    writeFileSync(file, `${readFileSync(file, 'utf8').trimEnd()}\n  - blog.example.com\n`);
    repo.commit({});
    const replanned = await plan('shop');
    expect(github.comments).toMatchObject([{ body: expect.stringContaining('blog.example.com') }]);
    expect(replanned.summary).toContain('blog.example.com');
    expect(await domains()).toEqual(before);

    // Approved and merged: exactly that plan is applied, and the run file is kept.
    const applied = await merge('shop');
    expect(applied).toMatchObject({ conclusion: 'success' });
    expect(await domains()).toEqual(expect.arrayContaining(['blog.example.com', 'news.example.com']));
    expect(existsSync(artifact(repository, 104, 'websites-journal-1'))).toBe(true);
    const [, result] = github.comments;
    expect(result).toMatchObject({ issue: 7, body: expect.stringContaining('+ news.example.com') });
    expect(result?.body).toMatch(/^<!-- websites-as-code:result -->\n\n## Websites: 2 created/);

    // The night after: no drift, no issue.
    expect(await start('websites-drift.yml', 'drift', 'schedule')).toMatchObject({ conclusion: 'success' });
    expect(github.issues).toEqual([]);

    // Another client changes a record: one issue, rewritten the next night, closed once it is as declared again.
    const { id, domain } = await firstRecord(service);
    await write('DELETE', `/${id}`);
    await start('websites-drift.yml', 'drift', 'schedule');
    const drifted = await start('websites-drift.yml', 'drift', 'schedule');
    expect(drifted).toMatchObject({ conclusion: 'success' });
    expect(github.issues).toMatchObject([{ state: 'open', body: drifted.summary }]);
    expect(drifted.summary).toContain(domain);
    expect(await start('websites-apply.yml', 'apply')).toMatchObject({ conclusion: 'success' });
    await start('websites-drift.yml', 'drift', 'schedule');
    expect(github.issues).toMatchObject([{ state: 'closed' }]);

    for (const { log, summary } of [planned, replanned, applied, drifted])
      expect(log + summary).not.toContain(service.key);
  },
);

async function firstRecord({ url, key }: TestService): Promise<{ id: number; domain: string }> {
  const answer = await fetch(`${url}/api/v1/websites?search=shop`, {
    headers: { Authorization: `Bearer ${key}`, Accept: 'application/json' },
  });
  const { data } = (await answer.json()) as { data: { id: number; domain: string }[] };
  return data[0] ?? { id: 0, domain: '' };
}
