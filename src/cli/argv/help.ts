/** The help: of all commands, and of one. */
import yargs from 'yargs';
import { COMMON_FLAGS, type Command } from '../command.ts';
import { COMMANDS } from '../commands.ts';
import { type Flag, type FlagTable, variableOf } from './flags.ts';

/** Every command with its line; `width` columns wide. */
export function overview(width: number): string {
  const column = Math.max(...Object.keys(COMMANDS).map((name) => name.length)) + 2;
  return [
    'websites: website records as code',
    '',
    'websites.yaml says what the website records should be; plan shows what would change;',
    'apply makes it so and proves it.',
    '',
    ...Object.entries(COMMANDS).map(([name, { describe }]) =>
      `  websites ${name.padEnd(column)}${describe}`.slice(0, Math.max(width, 60)),
    ),
    '',
    'websites COMMAND --help tells more about each.',
    'Where it is not installed, "npx websites-as-code" runs it in place of "websites".',
    '',
  ].join('\n');
}

/** What a command takes, with examples. */
export async function commandHelp(name: string, command: Command, width: number): Promise<string> {
  const words = ['websites', name, command.positional, '[flags]'].filter(Boolean).join(' ');
  const help = yargs([])
    .locale('en')
    .version(false)
    .help(false)
    .options(mapFlags({ ...command.flags, ...COMMON_FLAGS }))
    .usage(`${words}\n\n${COMMANDS[name]?.describe}.`)
    .wrap(Math.min(width, 110));
  // Never broken in the middle: they are there to be copied.
  const examples = command.examples.map(([line, meaning]) => `  ${line}\n      ${meaning}\n`);
  return `${await help.getHelp()}\n\nExamples:\n${examples.join('')}`;
}

function mapFlags(flags: FlagTable) {
  return Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, optionOf(name, flag)]));
}

function optionOf(name: string, flag: Flag) {
  const variable = flag.approval ? '' : ` [${variableOf(name)}]`;
  const choices = flag.choices === undefined ? '' : `: ${flag.choices.join(', ')}`;
  const standard = flag.default === undefined ? '' : ` (default: ${flag.default})`;
  return {
    type: flag.type === 'boolean' ? ('boolean' as const) : ('string' as const),
    requiresArg: flag.type !== 'boolean',
    describe: `${flag.describe}${choices}${standard}${variable}`,
    ...(flag.alias === undefined ? {} : { alias: flag.alias }),
  };
}
