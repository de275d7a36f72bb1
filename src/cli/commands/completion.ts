import { isStream } from '../../config/files/files.ts';
import { loadEach } from '../../config/load.ts';
import { runIds } from '../../journal/writer.ts';
import { EXIT } from '../../model/errors.ts';
import { runsFolder } from '../../sync/state.ts';
import { didYouMean, type FlagValues, usageError } from '../argv/flags.ts';
import { FILE_FLAGS } from '../argv/shared-flags.ts';
import { type CommandTable, defineCommand } from '../command.ts';
import { bashScript } from '../completion/bash.ts';
import { fishScript } from '../completion/fish.ts';
import { completableCommands } from '../completion/model.ts';
import { zshScript } from '../completion/zsh.ts';
import { type Io, withOwn } from '../io/io.ts';
import { readPins } from '../session/pins.ts';

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** More are of no help to a person. */
const MOST_OFFERED = 1000;

/** The command that completes `commands`. */
export function completionOf(commands: CommandTable) {
  return defineCommand({
    positional: 'bash|zsh|fish',
    subcommands: Object.keys(SCRIPTS),
    flags: FILE_FLAGS,
    examples: [
      ['source <(websites completion bash)', 'for this shell; docs/completion.md says how to keep it'],
      ['websites completion zsh > ~/.zfunc/_websites', 'into a folder that is in fpath'],
      ['websites completion fish > ~/.config/fish/completions/websites.fish', 'where fish looks for it'],
    ],
    async run(flags, io, [what = '', ...rest]) {
      if (what === 'domains' || what === 'runs') {
        const all = what === 'runs' ? await runsFor(flags, io) : await domainsFor(flags.file ?? [], io);
        const offered = all.filter((word) => word.startsWith(rest[0] ?? '')).slice(0, MOST_OFFERED);
        for (const word of offered) io.out(`${word}\n`);
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
 * The domains of the files, for the scripts: those of all targets, since none need be chosen yet. None where the files are
 * not in order.
 */
async function domainsFor(files: readonly string[], { cwd, env, stdin }: Io): Promise<string[]> {
  try {
    const patterns = files.filter((file) => !isStream(file));
    const configs = await loadEach({ patterns, cwd, env, stdin });
    const domains = configs.flatMap(({ desired }) => desired.websites.map(({ domain }) => domain));
    return [...new Set(domains)];
  } catch {
    return [];
  }
}

/** The ids of the runs, the newest first; none where the files are not in order. */
async function runsFor(flags: FlagValues<typeof FILE_FLAGS>, io: Io): Promise<string[]> {
  try {
    const file = flags.file?.filter((one) => !isStream(one));
    const { root } = await readPins({ ...flags, file }, withOwn(io, { err: () => undefined }), true);
    return (await runIds(runsFolder(root))).toReversed();
  } catch {
    return [];
  }
}
