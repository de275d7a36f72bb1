/**
 * Runs the steps of the Dockerfile without a container engine, in a directory: each COPY, each RUN, and the
 * entry point. Skips package managers of the base; the packages of this checkout replace the install.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../support/cli.ts';

const ROOT = resolve(import.meta.dirname, '../..');

interface Step {
  readonly word: string;
  readonly rest: string;
}

interface Stage {
  readonly base: string;
  readonly steps: readonly Step[];
}

const lines = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

function stepOf(line: string): Step {
  const at = line.indexOf(' ');
  return { word: line.slice(0, at), rest: line.slice(at + 1) };
}

const stages: readonly Stage[] = lines
  .join('\n')
  .split(/^FROM /m)
  .slice(1)
  .map((part): Stage => {
    const [from = '', ...rest] = part.trimEnd().split('\n');
    const [base = ''] = from.split(' ');
    return { base, steps: rest.map(stepOf) };
  });

const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** Supports the patterns that .dockerignore uses. */
const isIgnored = (path: string): boolean =>
  ignored.some((pattern) => {
    const escaped = pattern.replaceAll('.', String.raw`\.`).replaceAll('*', '[^/]*');
    return new RegExp(`^${escaped.replace('[^/]*[^/]*/', '(?:.*/)?')}(?:/|$)`).test(path);
  });

const INSTALL = 'npm ci --ignore-scripts --no-audit --no-fund';

async function image() {
  const root = await testFolder();
  const inImage = (path: string): string => join(root, path);
  mkdirSync(inImage('usr/local/bin'), { recursive: true });
  let workdir = '/';
  return {
    inImage,
    make({ word, rest }: Step): void {
      if (word === 'WORKDIR') {
        workdir = rest;
        mkdirSync(inImage(rest), { recursive: true });
      }
      if (word === 'COPY' && !rest.startsWith('--from=')) copy(rest.split(' '), inImage(workdir));
      if (word === 'RUN' && !rest.startsWith('apt-get ')) run(rest, inImage);
    },
  };

  function copy(words: readonly string[], to: string): void {
    for (const path of words.slice(0, -1)) {
      const filter = (source: string) => source === ROOT || !isIgnored(source.slice(ROOT.length + 1));
      cpSync(join(ROOT, path), path === '.' ? to : join(to, path), { recursive: true, filter });
    }
  }

  function run(command: string, at: (path: string) => string): void {
    // The packages of this checkout are from the same lock file.
    if (command === INSTALL) {
      symlinkSync(join(ROOT, 'node_modules'), join(at(workdir), 'node_modules'));
      return;
    }
    const here = command.replaceAll(/(?<=[ "])\/(?=app\b|usr\/local\b)/g, at('/'));
    execFileSync('sh', ['-euc', here], { cwd: at(workdir), stdio: 'pipe' });
  }
}

test('the Dockerfile uses node:24 as its base, and does not run as root', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the Dockerfile's own variable.
  expect(stages.map(({ base }) => base)).toEqual(['${NODE_IMAGE}', '${NODE_IMAGE}']);
  expect(lines[0]).toBe('ARG NODE_IMAGE=node:24-bookworm-slim');
  expect(stages[1]?.steps.filter(({ word }) => word === 'USER')).toEqual([
    { word: 'USER', rest: '1000:1000' },
  ]);
});

test('.dockerignore excludes secrets and state from the build', () => {
  for (const path of [
    '.git/config',
    'websites.key',
    'a/b.key',
    '.websites/local.key',
    '.env',
    'x/.env.local',
    'websites.db',
  ])
    expect([path, isIgnored(path)]).toEqual([path, true]);
  for (const path of ['package.json', '.npmrc', 'src/cli/main.ts', 'schema/websites.schema.json'])
    expect([path, isIgnored(path)]).toEqual([path, false]);
});

describe('the steps of the Dockerfile build an image', { timeout: 300_000 }, () => {
  test('the Docker image runs the program, and contains only what it needs', async () => {
    const { inImage, make } = await image();
    for (const { steps } of stages) steps.forEach(make);
    const entry = /^ENTRYPOINT \["(\w+)"\]$/m.exec(lines.join('\n'))?.[1];
    const program = inImage(`usr/local/bin/${entry}`);
    const run = (...args: string[]) => spawnSync(program, args, { cwd: inImage('config'), encoding: 'utf8' });
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(lines).toContain(`RUN ${INSTALL}`);
    expect(run('version').stdout).toContain(`websites ${version}`);
    expect(run('--help')).toMatchObject({ status: 0 });
    // The embedded service has a database, which is not bundled.
    expect(run('init').status).toBe(0);
    expect(run('apply', '--auto-approve')).toMatchObject({ status: 0 });
    expect(run('drift').status).toBe(0);
    for (const path of ['src', 'test', 'node_modules/typescript', 'node_modules/vitest'])
      expect([path, existsSync(inImage(`app/${path}`))]).toEqual([path, false]);
    expect(statSync(inImage('app/dist/main.js')).mode & 0o111).not.toBe(0);
  });
});
