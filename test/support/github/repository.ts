/** A repository on GitHub with our example workflows, and its service. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { testFolder } from '../cli.ts';
import { git, type ScratchRepo, scratchRepo } from '../scratch-repo.ts';
import { type TestService, testService } from '../service.ts';
import { type FakeGitHub, startFakeGitHub } from './api.ts';
import type { Repository } from './machine.ts';
import { type JobResult, runJob } from './runner.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../../examples/github');

/** True if jq is installed for `gh api --jq`: `gh` contains it, its stand-in does not. */
export const HAS_JQ = spawnSync('jq', ['--version']).status === 0;

export interface GitHubRepository {
  readonly github: FakeGitHub;
  readonly service: TestService;
  readonly repo: ScratchRepo;
  readonly repository: Repository;
  /** Opens or updates the pull request of `branch`, which runs websites-plan.yml. */
  plan(branch: string): Promise<JobResult>;
  /** Squashes `branch` into main, which runs websites-apply.yml. */
  merge(branch: string): Promise<JobResult>;
  /** Runs a job of a workflow for the last commit of main, by request or schedule. */
  start(workflow: string, job: string, event?: string, inputs?: object): Promise<JobResult>;
  /** The domains on the service. */
  domains(): Promise<string[]>;
  /** Writes to the service directly. */
  write(method: string, path: string, form?: Readonly<Record<string, string>>): Promise<void>;
}

/** Has the workflows of `examples/github` on main, and `websites.yaml` if given. */
export async function startRepository(yaml?: string): Promise<GitHubRepository> {
  const folder = await testFolder();
  const [github, service] = [await startFakeGitHub(), await testService()];
  const repo = scratchRepo(folder);
  const { key } = service;
  const repository: Repository = {
    github,
    folder,
    source: repo.work,
    vars: { WEBSITES_BASE_URL: service.url },
    secrets: { WEBSITES_API_KEY: key },
  };
  if (yaml !== undefined) {
    copyWorkflows(repo.work);
    repo.commit({ 'websites.yaml': yaml });
  }
  let run = 100;

  async function job(workflow: string, name: string, event: string, sha: string, payload = {}) {
    run += 1;
    const file = join(repo.work, '.github/workflows', workflow);
    const result = await runJob(repository, file, name, { event, sha, run, payload });
    github.runs.push({
      id: run,
      workflow,
      head_sha: (payload as Partial<ReturnType<typeof pullRequest>>).pull_request?.head.sha ?? sha,
      status: result.conclusion === 'success' ? 'success' : 'failure',
      head_repository: { full_name: github.repository },
    });
    return result;
  }

  return {
    github,
    service,
    repo,
    repository,
    async plan(branch) {
      const payload = pullRequest(github, repo, branch, github.repository);
      return job('websites-plan.yml', 'plan', 'pull_request', repo.mergePreview(branch), payload);
    },
    async merge(branch) {
      const head = git(repo.work, 'rev-parse', branch);
      const sha = repo.squash(branch);
      github.pulls.push({
        number: 7,
        merge_commit_sha: sha,
        merged_at: '2026-01-31T09:00:00Z',
        head: { sha: head },
      });
      return job('websites-apply.yml', 'apply', 'push', sha);
    },
    start: (workflow, name, event = 'workflow_dispatch', inputs = {}) =>
      job(workflow, name, event, git(repo.work, 'rev-parse', 'main'), { inputs }),
    async domains() {
      const answer = await fetch(`${service.url}/api/v1/websites?per_page=100`, { headers: headers(key) });
      const { data } = (await answer.json()) as { data: { domain: string }[] };
      return data.map(({ domain }) => domain).sort();
    },
    async write(method, path, form = {}) {
      const body = method === 'DELETE' ? null : new URLSearchParams(form);
      const answer = await fetch(`${service.url}/api/v1/websites${path}`, {
        method,
        headers: headers(key),
        body,
      });
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    },
  };
}

/** Follows docs/ci.md. */
export function copyWorkflows(work: string): void {
  const folder = join(work, '.github/workflows');
  mkdirSync(folder, { recursive: true });
  for (const name of readdirSync(EXAMPLES)) copyFileSync(join(EXAMPLES, name), join(folder, name));
}

/** The event of a pull request of `branch` in the repository `from`. */
export function pullRequest(github: FakeGitHub, repo: ScratchRepo, branch: string, from: string) {
  return {
    repository: { full_name: github.repository },
    pull_request: {
      number: 7,
      head: { sha: git(repo.work, 'rev-parse', branch), repo: { full_name: from } },
      base: { sha: git(repo.work, 'rev-parse', 'main') },
    },
  };
}

function headers(key: string): Record<string, string> {
  return { Authorization: `Bearer ${key}`, Accept: 'application/json' };
}
