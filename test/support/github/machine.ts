/** The machine of a job: its folders, variables, and bash. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { scriptFor } from '../here.ts';
import { runProcess } from '../process.ts';
import type { FakeGitHub } from './api.ts';
import type { Context } from './expression.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** Shared by all jobs of one repository. */
export interface Repository {
  readonly github: FakeGitHub;
  readonly source: string;
  /** Contains machines and artifacts. */
  readonly folder: string;
  readonly vars?: Readonly<Record<string, string>>;
  readonly secrets?: Readonly<Record<string, string>>;
  /** The first folder in the PATH of its machines. */
  readonly bin?: string;
  /** Node runs our program in a separate process. */
  readonly byNode?: boolean;
}

export interface Occasion {
  readonly event: string;
  readonly sha: string;
  readonly run: number;
  readonly payload?: Context;
}

export type Values = Readonly<Record<string, string>>;

export interface StepResult {
  readonly ok: boolean;
  readonly outputs: Values;
}

export interface Script {
  readonly text: string;
  /** The shell of a step; a missing one is not the same as `bash`. */
  readonly shell?: string | undefined;
  readonly folder?: string | undefined;
  readonly env: Values;
}

export interface Machine {
  readonly repository: Repository;
  readonly occasion: Occasion;
  readonly workspace: string;
  readonly temp: string;
  runScript(script: Script): Promise<StepResult>;
  say(text: string): void;
  log(): string;
  summary(): string;
}

/** A machine with an empty workspace, or one with the content of `given`. */
export async function createMachine(
  repository: Repository,
  occasion: Occasion,
  given?: string,
): Promise<Machine> {
  const home = mkdtempSync(join(repository.folder, 'machine-'));
  const [workspace, temp, bin] = [given ?? join(home, 'work'), join(home, 'temp'), join(home, 'bin')];
  for (const folder of [workspace, temp, bin]) mkdirSync(folder, { recursive: true });
  addProgram(bin, 'gh', await scriptFor('gh'));
  if (!repository.byNode) addProgram(bin, 'node', await nodeScript());
  const [summary, event] = [join(home, 'summary.md'), join(home, 'event.json')];
  writeFileSync(summary, '');
  writeFileSync(event, JSON.stringify(occasion.payload ?? {}));
  const variables = {
    HOME: home,
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_API_URL: repository.github.url,
    GITHUB_GRAPHQL_URL: `${repository.github.url}/graphql`,
    GITHUB_EVENT_NAME: occasion.event,
    GITHUB_EVENT_PATH: event,
    GITHUB_REF_NAME: 'main',
    GITHUB_REPOSITORY: repository.github.repository,
    GITHUB_REPOSITORY_OWNER: repository.github.repository.split('/')[0] ?? '',
    GITHUB_RUN_ID: String(occasion.run),
    GITHUB_SERVER_URL: 'https://github.test',
    GITHUB_SHA: occasion.sha,
    GITHUB_STEP_SUMMARY: summary,
    GITHUB_WORKSPACE: workspace,
    RUNNER_TEMP: temp,
  };
  let path = [repository.bin, bin, dirname(process.execPath), process.env.PATH]
    .filter(Boolean)
    .join(delimiter);
  let log = '';

  async function runScript({ text, shell, folder = '', env }: Script): Promise<StepResult> {
    const files = mkdtempSync(join(home, 'step-'));
    const [script, output, added] = [join(files, 'script.sh'), join(files, 'output'), join(files, 'path')];
    writeFileSync(script, text);
    for (const file of [output, added]) writeFileSync(file, '');
    const options = shell === 'bash' ? ['--noprofile', '--norc', '-eo', 'pipefail'] : ['-e'];
    const ended = await runProcess('bash', [...options, script], {
      cwd: join(workspace, folder),
      env: { PATH: path, ...variables, GITHUB_OUTPUT: output, GITHUB_PATH: added, ...env },
    });
    log += ended.text;
    path = [...readFileSync(added, 'utf8').split('\n').filter(Boolean), path].join(delimiter);
    return { ok: ended.code === 0, outputs: readOutputs(readFileSync(output, 'utf8')) };
  }

  return {
    repository,
    occasion,
    workspace,
    temp,
    runScript,
    say(text) {
      log += text;
    },
    log: () => log,
    summary: () => readFileSync(summary, 'utf8'),
  };
}

function addProgram(bin: string, name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/bash\n${script}`, { mode: 0o755 });
}

/**
 * A current Node for any caller. The built program of our action and its scripts run in this process, unless they get
 * a file by a relative path. Node runs other scripts.
 */
async function nodeScript(): Promise<string> {
  return `[ "$1" != -e ] || exit 0
if [[ $1 == */${CHECKOUT}/dist/main.js ]]; then
${await scriptFor('websites', 1)}elif [[ $1 == */${CHECKOUT}/scripts/*.mjs && $3 != [!/]* ]]; then
${await scriptFor('script')}fi
exec "${process.execPath}" "$@"
`;
}

/** Reads `NAME=VALUE` lines and rejects others, which would make an unintended output. */
function readOutputs(text: string): Values {
  const entries = text
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [, name, value] = /^([\w-]+)=(.*)$/.exec(line) ?? [];
      if (name === undefined) throw new Error(`not an output: ${line}`);
      return [name, value];
    });
  return Object.fromEntries(entries);
}

const CHECKOUT = 'action';

/** The package for programs: the action does not use it, and it is half of all files. */
const LIBRARY = join(ROOT, 'dist/library');

/** A built checkout of our action, which its scripts may change. */
export function actionCheckout({ folder }: Repository): string {
  const checkout = join(folder, CHECKOUT);
  if (existsSync(checkout)) return checkout;
  for (const name of ['action.yml', 'scripts', 'dist'])
    cpSync(join(ROOT, name), join(checkout, name), { recursive: true, filter: (from) => from !== LIBRARY });
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  return checkout;
}
