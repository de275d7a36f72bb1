import { Readable } from 'node:stream';
import type { Io } from '../../src/cli/io/io.ts';
import { runCommand } from '../../src/cli/start.ts';
import { BARE_IO } from './io.ts';
import { checkJson } from './json-documents.ts';

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `args` in `cwd` with `env` as the whole environment; no terminal answers. */
export async function runInProcess(
  args: readonly string[],
  cwd: string,
  env: Io['env'] = {},
  input?: string,
): Promise<Ran> {
  const texts = { stdout: '', stderr: '' };
  const code = await runCommand(args, {
    ...BARE_IO,
    out: (text) => {
      texts.stdout += text;
    },
    err: (text) => {
      texts.stderr += text;
    },
    env,
    cwd,
    ...(input === undefined ? {} : { stdin: Readable.from([Buffer.from(input)]) as Io['stdin'] }),
    width: 110,
  });
  checkJson(args, texts.stdout, cwd);
  return { code, ...texts };
}
