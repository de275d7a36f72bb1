import { isStream } from '../../config/files/files.ts';
import { loadEach, loadTargetNames } from '../../config/load.ts';
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
import { loadOptions } from '../session/settings.ts';

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
      ['source <(websites completion bash)', 'for this shell only'],
      ['websites completion zsh > ~/.zfunc/_websites', 'into a folder that is in fpath'],
      ['websites completion fish > ~/.config/fish/completions/websites.fish', 'where fish looks for it'],
    ],
    async run(flags, io, [what = '', ...rest]) {
      if (isAsked(what)) {
        // Nothing where the files are not in order.
        const all = await ASKED[what](withoutStream(flags), withOwn(io, { err: () => undefined })).catch(
          () => [],
        );
        const offered = all.filter((word) => word.startsWith(rest[0] ?? '')).slice(0, MOST_OFFERED);
        for (const word of offered) io.out(`${word}\n`);
        return EXIT.done;
      }
      if (!Object.hasOwn(SCRIPTS, what) || rest.length > 0) {
        throw usageError(
          what === '' ? 'No shell is named.' : `Unknown shell: ${[what, ...rest].join(' ')}.`,
          `${didYouMean(what, Object.keys(SCRIPTS))}Run "websites completion bash", "websites completion zsh", or "websites completion fish".`,
        );
      }
      io.out(SCRIPTS[what as keyof typeof SCRIPTS](await completableCommands(commands)));
      return EXIT.done;
    },
  });
}

type Where = FlagValues<typeof FILE_FLAGS>;

/** What the scripts ask for; of the domains those of all targets, since none need be chosen yet. */
const ASKED = {
  async domains(flags: Where, { cwd, env, stdin }: Io): Promise<readonly string[]> {
    const configs = await loadEach({ patterns: flags.file ?? [], cwd, env, stdin });
    return [...new Set(configs.flatMap(({ desired }) => desired.websites.map(({ domain }) => domain)))];
  },
  async groups(flags: Where, { cwd, env, stdin }: Io): Promise<readonly string[]> {
    const configs = await loadEach({ patterns: flags.file ?? [], cwd, env, stdin });
    return [...new Set(configs.flatMap(({ groups }) => [...groups.keys()]))];
  },
  targets: (flags: Where, io: Io): Promise<readonly string[]> => loadTargetNames(loadOptions(flags, io)),
  /** The newest first. */
  async runs(flags: Where, io: Io): Promise<readonly string[]> {
    const { root } = await readPins(flags, io, true);
    return (await runIds(runsFolder(root))).toReversed();
  },
} as const;

function isAsked(what: string): what is keyof typeof ASKED {
  return Object.hasOwn(ASKED, what);
}

function withoutStream(flags: Where): Where {
  return { ...flags, file: flags.file?.filter((file) => !isStream(file)) };
}
