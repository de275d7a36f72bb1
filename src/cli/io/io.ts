/** Input and output of the process as one value. Commands use nothing else for it. */

import { fstatSync } from 'node:fs';
import { EXIT, reasonOf, WebsitesError } from '../../model/errors.ts';
import { type NextFlags, NO_NEXT_FLAGS } from '../../model/next-command.ts';
import type { Environment } from '../../util/environment.ts';
import { withoutKeys } from '../../util/key-filter.ts';
import type { Progress } from '../progress/progress.ts';

export interface Io {
  out(text: string): void;
  err(text: string): void;
  readonly env: Environment;
  readonly cwd: string;
  readonly nextFlags: NextFlags;
  readonly stdin: NodeJS.ReadStream;
  readonly canAsk: boolean;
  readonly width: number;
  readonly outIsTerminal: boolean;
  readonly errIsTerminal: boolean;
  readonly outIsSeen: boolean;
  /** Current width of the terminal, for a progress bar. Missing in CI and without a terminal. */
  readonly barColumns?: number | undefined;
  readonly progress?: Progress;
}

const WIDTH_WITHOUT_TERMINAL = 100;

export function processIo(): Io {
  const { stdout, stderr, env } = process;
  stdout.once('error', reportLostOutput);
  // Ignores errors here: `reportLostOutput` reports the first error of standard output.
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
  return {
    out: (text) => void stdout.write(withoutKeys(text)),
    err: (text) => void stderr.write(withoutKeys(text)),
    env,
    nextFlags: NO_NEXT_FLAGS,
    get cwd() {
      return workingFolder();
    },
    get stdin() {
      return process.stdin;
    },
    get canAsk() {
      return Boolean(process.stdin.isTTY && stderr.isTTY && !isSet(env.CI));
    },
    // A terminal without a size, such as one in a CI job, has 0 columns.
    width: stdout.columns || WIDTH_WITHOUT_TERMINAL,
    outIsTerminal: Boolean(stdout.isTTY),
    errIsTerminal: Boolean(stderr.isTTY),
    get outIsSeen() {
      return (
        Boolean(stdout.isTTY) ||
        ([env.CI, env.GITHUB_ACTIONS, env.TF_BUILD].some(isSet) && !isFile(stdout.fd))
      );
    },
    get barColumns() {
      return stderr.isTTY && !isSet(env.CI) && env.TERM !== 'dumb' ? stderr.columns : undefined;
    },
  };
}

/** Throws `file-failed` if the working directory was removed, because some commands would not notice. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new WebsitesError('file-failed', 'The working directory no longer exists.', {
      remedy: 'Change to a directory that exists.',
      cause,
    });
  }
}

/** Replaces members of `io` by `own`. Does not read the other members, because that would open standard input. */
export function withOwn<T extends Partial<Io>>(io: Io, own: T): Io & T {
  return Object.create(io, Object.getOwnPropertyDescriptors(own)) as Io & T;
}

/**
 * Returns the start of the next command to print. With npx, that includes `--no`: otherwise npx would download a
 * package of that name.
 */
export function programOf({ npm_lifecycle_event: event, npm_lifecycle_script: script }: Environment): string {
  const isByName = /^["']?websites["']?(?: |$)/.test(script ?? '');
  return event === 'npx' && isByName ? 'npx --no websites' : 'websites';
}

/** If the reader has gone away (`| head`) or the disk is full, only the output ends, not the run. */
export function reportLostOutput(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE' || error.code === 'ECONNRESET') return;
  process.stderr.write(`Error: Standard output cannot be written: ${reasonOf(error)}.\n`);
  process.once('exit', (exit) => {
    if (exit !== EXIT.interrupted && exit !== EXIT.keyRefused) process.exitCode = EXIT.error;
  });
}

/**
 * Follows FORCE_COLOR (like Node), then NO_COLOR (any value that is not empty, no-color.org). Without them, only a
 * terminal gets color.
 */
export function wantsColor(io: Io, isTerminal: boolean): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = io.env;
  if (FORCE_COLOR) return ['1', '2', '3', 'true'].includes(FORCE_COLOR);
  return isTerminal && !NO_COLOR && TERM !== 'dumb';
}

function isFile(descriptor: number): boolean {
  try {
    return fstatSync(descriptor).isFile();
  } catch {
    return false;
  }
}

function isSet(text: string | undefined): boolean {
  return text !== undefined && text !== '' && text !== 'false' && text !== '0';
}
