import { isStream } from '../../config/files/files.ts';
import { loadEach } from '../../config/load.ts';
import { EXIT } from '../../model/errors.ts';
import { didYouMean, usageError } from '../argv/flags.ts';
import { FILE_FLAGS } from '../argv/shared-flags.ts';
import { type CommandTable, defineCommand } from '../command.ts';
import { bashScript } from '../completion/bash.ts';
import { fishScript } from '../completion/fish.ts';
import { completableCommands } from '../completion/model.ts';
import { zshScript } from '../completion/zsh.ts';
import type { Io } from '../io/io.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** More are of no help to a person. */
const MOST_DOMAINS = 1000;

/** The command that completes `commands`. */
export function completionOf(commands: CommandTable) {
  return defineCommand({
    positional: 'bash|zsh|fish',
    subcommands: Object.keys(SCRIPTS),
    flags: { file: FILE_FLAGS.file },
    examples: [
      ['source <(websites completion bash)', 'for this shell; docs/completion.md says how to keep it'],
      ['websites completion zsh > ~/.zfunc/_websites', 'into a folder that is in fpath'],
      ['websites completion fish > ~/.config/fish/completions/websites.fish', 'where fish looks for it'],
    ],
    async run(flags, io, [what = '', ...rest]) {
      if (what === 'domains') {
        for (const domain of await domainsFor(flags.file ?? [], rest[0] ?? '', io)) io.out(`${domain}\n`);
        return EXIT.done;
      }
      if (!Object.hasOwn(SCRIPTS, what) || rest.length > 0) {
        throw usageError(
          '"websites completion" takes one shell.',
          `${didYouMean(what, Object.keys(SCRIPTS))}Write "websites completion bash", zsh or fish.`,
        );
      }
      io.out(SCRIPTS[what as keyof typeof SCRIPTS](await completableCommands(commands)));
      return EXIT.done;
    },
  });
}

/**
 * The domains of the files that begin with `begun`, for the scripts: those of all targets, since none need be chosen yet.
 * None where the files are not in order.
 */
async function domainsFor(
  files: readonly string[],
  begun: string,
  { cwd, env, stdin }: Io,
): Promise<string[]> {
  try {
    const patterns = files.filter((file) => !isStream(file));
    const configs = await loadEach({ patterns, cwd, env, stdin });
    const domains = configs.flatMap(({ desired }) => desired.websites.map(({ domain }) => domain));
    return [...new Set(domains)].filter((domain) => domain.startsWith(begun)).slice(0, MOST_DOMAINS);
  } catch {
    return [];
  }
}
