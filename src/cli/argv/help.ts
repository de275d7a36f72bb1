/** The help: of all commands, and of one. */
import yargs from 'yargs';
import type { Command } from '../command.ts';
import { COMMANDS } from '../commands.ts';
import { type Flag, type FlagTable, flagsIn, placeholderOf, variableOf } from './flags.ts';

/** Commands by what they are for, in the order in which they are met. */
const COMMAND_GROUPS: Readonly<Record<string, readonly string[]>> = {
  Start: ['init', 'import', 'export', 'validate', 'schema'],
  'Plan and apply': ['plan', 'show', 'apply', 'undo', 'runs', 'drift'],
  Services: ['list', 'doctor', 'serve'],
  Help: ['explain', 'completion', 'version'],
};

/** Flags by what they are about; any other is of the command itself. */
const FLAG_GROUPS: Readonly<Record<string, readonly string[]>> = {
  Configuration: ['file', 'target'],
  Selection: ['domain', 'exclude', 'group', 'orphans', 'since', 'only', 'prune'],
  Service: ['base-url', 'api-key-file', 'parallelism', 'timeout'],
  Guards: [
    'allow-empty',
    'allow-deletes',
    'allow-updates',
    'allow-incomplete',
    'fail-on-drift',
    'fail-on-orphans',
    'auto-approve',
  ],
  Run: [],
  Output: ['format', 'out', 'report', 'verbose', 'detailed-exitcode', 'log', 'log-format'],
};

/** The widest help, in columns. */
const WIDEST = 80;
/** The longest example that its meaning follows in the same line. */
const LONGEST_EXAMPLE = 44;

/** Every command with its line; `width` columns wide. */
export function overview(width: number): string {
  const column = Math.max(...Object.keys(COMMANDS).map((name) => name.length)) + 2;
  const line = (name: string): string =>
    `  ${name.padEnd(column)}${COMMANDS[name]?.describe}`.slice(0, Math.max(width, 60));
  return [
    'Manage website records as code: declare them in websites.yaml, preview every',
    'change with "websites plan", and update the service with "websites apply".',
    '',
    'Usage: websites COMMAND [flags]',
    ...Object.entries(COMMAND_GROUPS).flatMap(([group, names]) => ['', `${group}:`, ...names.map(line)]),
    '',
    'Run "websites COMMAND --help" for its flags and examples.',
    'In a clone where it is not installed, run "npx --no websites" instead.',
    '',
  ].join('\n');
}

/** What a command takes, with examples. */
export async function commandHelp(name: string, command: Command, width: number): Promise<string> {
  const words = ['websites', name, command.positional, '[flags]'].filter(Boolean).join(' ');
  const flags = flagsIn(command.flags);
  const help = yargs([])
    .locale('en')
    .version(false)
    .help(false)
    .options(optionsOf(flags))
    .usage(`${COMMANDS[name]?.describe}\n\nUsage: ${words}`)
    .wrap(Math.min(width, WIDEST));
  // Never broken in the middle: they are there to be copied.
  const shorter = command.examples.map(([line]) => line.length).filter((length) => length <= LONGEST_EXAMPLE);
  const column = Math.max(0, ...shorter) + 2;
  const examples = command.examples.map((example) => exampleText(example, column));
  const [some] = Object.entries(flags).find(([, { approval }]) => !approval) ?? [];
  const variables =
    some === undefined ? '' : `\nEnvironment variables set flags too: ${variableOf(some)} is --${some}.\n`;
  return `${await help.getHelp()}\n\nExamples:\n${examples.join('')}${variables}`;
}

/** In one line where both fit, with the meaning at `column`. */
function exampleText([line, meaning]: Command['examples'][number], column: number): string {
  const isNarrow = line.length <= column - 2 && 2 + column + meaning.length <= WIDEST;
  return isNarrow ? `  ${line.padEnd(column)}${meaning}\n` : `  ${line}\n      ${meaning}\n`;
}

/** By group: yargs shows options in the order in which they come. */
function optionsOf(flags: FlagTable) {
  const grouped = Object.entries(FLAG_GROUPS).flatMap(([group, names]) =>
    names.map((name) => [name, group] as const),
  );
  const groupOf = new Map(grouped);
  const groups = Object.keys(FLAG_GROUPS);
  const place = (name: string): number => groups.indexOf(groupOf.get(name) ?? 'Run');
  return Object.fromEntries(
    Object.entries(flags)
      .toSorted(([a], [b]) => place(a) - place(b))
      .map(([name, flag]) => [
        [name, placeholderOf(flag)].filter(Boolean).join(' '),
        { ...optionOf(flag), group: `${groupOf.get(name) ?? 'Run'}:` },
      ]),
  );
}

function optionOf(flag: Flag) {
  const choices = flag.choices === undefined ? '' : `: ${flag.choices.join(', ')}`;
  const standard = flag.default === undefined ? '' : ` (default: ${flag.default})`;
  return {
    // Without a type: yargs would write "[string]" beside each.
    describe: `${flag.describe}${choices}${standard}`,
    ...(flag.alias === undefined ? {} : { alias: flag.alias }),
  };
}
