/** From the words of the command line to a command and its arguments (yargs does the reading). */
import yargs, { type Argv } from 'yargs';
import { nearest } from '../config/nearest.ts';
import { COMMON_FLAGS, type Command } from './command.ts';
import { COMMANDS } from './commands.ts';
import { type Flag, type FlagTable, type FlagValues, readFlags, usageError, variableOf } from './flags.ts';
import type { Io } from './io.ts';

/** Either a text to show, or a command to run. */
export type Parsed =
  | { readonly help: string }
  | {
      readonly command: Command<FlagTable>;
      readonly flags: FlagValues<FlagTable & typeof COMMON_FLAGS>;
      readonly args: readonly string[];
    };

/** Reads `argv` (without node and script). Throws `usage`. */
export async function parseCommandLine(argv: readonly string[], io: Io): Promise<Parsed> {
  const words = argv[0] === 'help' ? [...argv.slice(1), '--help'] : argv;
  const wantsHelp = words.includes('--help') || words.includes('-h');
  const index = words.findIndex((word) => !word.startsWith('-'));
  const name = words[index];
  if (name === undefined) {
    if (wantsHelp) return { help: overview(io.width) };
    throw usageError(
      words.length === 0 ? 'No command is given.' : `There is no flag ${words[0]} without a command.`,
    );
  }
  const { describe, load } = entryOf(name);
  const command = await load();
  if (wantsHelp) return { help: await commandHelp(name, describe, command, io.width) };
  const flags = { ...command.flags, ...COMMON_FLAGS };
  const { _: args, ...given } = await readWords(
    words.filter((_, at) => at !== index),
    flags,
  );
  if (command.positional === undefined && args.length > 0) {
    throw usageError(
      `"websites ${name}" takes no argument ${JSON.stringify(args[0])}.`,
      'Files are named with -f.',
    );
  }
  return { command, flags: readFlags(flags, given, io.env), args };
}

function entryOf(name: string) {
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry !== undefined) return entry;
  const near = nearest(name, Object.keys(COMMANDS));
  throw usageError(`There is no command ${name}.`, near && `Did you mean "websites ${near}"?`);
}

const READER = {
  'camel-case-expansion': false,
  'dot-notation': false,
  'parse-numbers': false,
  'parse-positional-numbers': false,
  'strip-aliased': true,
};

function reader(words: readonly string[], flags: FlagTable): Argv {
  return Object.entries(flags).reduce(
    (argv, [name, flag]) => argv.option(name, optionOf(name, flag)),
    yargs([...words])
      .exitProcess(false)
      .locale('en')
      .version(false)
      .help(false)
      .parserConfiguration(READER),
  );
}

function optionOf(name: string, flag: Flag) {
  const variable = flag.approval ? '' : ` [${variableOf(name)}]`;
  const standard = flag.default === undefined ? '' : ` (default: ${flag.default})`;
  return {
    type: flag.type === 'boolean' ? ('boolean' as const) : ('string' as const),
    requiresArg: flag.type !== 'boolean',
    describe: `${flag.describe}${standard}${variable}`,
    ...(flag.alias === undefined ? {} : { alias: flag.alias }),
  };
}

async function readWords(
  words: readonly string[],
  flags: FlagTable,
): Promise<Record<string, unknown> & { _: string[] }> {
  const parsed = await reader(words, flags)
    .fail((message, error) => {
      const reason = message || error?.message || 'The command line cannot be read';
      throw usageError(
        `${reason.replace(/^Not enough arguments following: (.+)$/, (_, name) => `${dashed(name)} needs a value`)}.`,
      );
    })
    .parseAsync();
  const { _, $0, ...given } = parsed as Record<string, unknown> & { _: unknown[]; $0: string };
  const known = Object.entries(flags).flatMap(([name, { alias }]) => [name, ...(alias ? [alias] : [])]);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const near = nearest(unknown, known);
    throw usageError(`There is no flag ${dashed(unknown)}.`, near && `Did you mean ${dashed(near)}?`);
  }
  return { ...given, _: _.map(String) };
}

function dashed(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}

async function commandHelp(
  name: string,
  describe: string,
  command: Command<FlagTable>,
  width: number,
): Promise<string> {
  const words = ['websites', name, command.positional, '[flags]'].filter(Boolean).join(' ');
  const help = command.examples.reduce(
    (argv, [line, meaning]) => argv.example(line, meaning),
    reader([], { ...command.flags, ...COMMON_FLAGS })
      .usage(`${words}\n\n${describe}.`)
      .wrap(Math.min(width, 110)),
  );
  return `${await help.getHelp()}\n`;
}

function overview(width: number): string {
  const names = Object.keys(COMMANDS);
  const column = Math.max(...names.map((name) => name.length)) + 2;
  return [
    'websites: website records as code',
    '',
    'websites.yaml says what the website records should be; plan shows what would change;',
    'apply makes it so and proves it.',
    '',
    ...names.map((name) =>
      `  websites ${name.padEnd(column)}${COMMANDS[name]?.describe}`.slice(0, Math.max(width, 60)),
    ),
    '',
    'websites COMMAND --help tells more about each.',
    '',
  ].join('\n');
}
