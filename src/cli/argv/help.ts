import yargs from 'yargs';
import { COMMAND_GROUPS, COMMANDS, type Command } from '../commands.ts';
import { flagsIn, isApproval, type Option, optionsOf, placeholderOf, variableOf } from '../options.ts';

const MAX_WIDTH = 80;
/** The longest example with its meaning on the same line. */
const MAX_EXAMPLE = 44;

export function overview(width: number): string {
  const column = Math.max(...Object.keys(COMMANDS).map((name) => name.length)) + 2;
  const line = ([name, { about }]: readonly [string, Command]): string =>
    `  ${name.padEnd(column)}${about}`.slice(0, Math.max(width, 60));
  return [
    'Manage website records as code: declare them in websites.yaml, preview every',
    'change with "websites plan", and update the service with "websites apply".',
    '',
    'Usage: websites COMMAND [flags]',
    ...Object.entries(COMMAND_GROUPS).flatMap(([group, commands]) => [
      '',
      `${group}:`,
      ...Object.entries(commands).map(line),
    ]),
    '',
    'Run "websites COMMAND --help" for its flags and examples.',
    'In a clone where it is not installed, run "npx --no websites" instead.',
    '',
  ].join('\n');
}

export async function commandHelp(name: string, command: Command, width: number): Promise<string> {
  const flags = Object.values(flagsIn(optionsOf(name)));
  const usage = ['websites', name, command.positional, flags.length > 0 ? '[flags]' : undefined];
  const help = yargs([])
    .locale('en')
    .version(false)
    .help(false)
    .options(Object.fromEntries(flags.map(yargsOption)))
    .usage(`${command.about}\n\nUsage: ${usage.filter(Boolean).join(' ')}`)
    .wrap(Math.min(width, MAX_WIDTH));
  // Examples are never wrapped: users copy them.
  const shorter = command.examples.map(([line]) => line.length).filter((length) => length <= MAX_EXAMPLE);
  const column = Math.max(0, ...shorter) + 2;
  const examples = command.examples.map((example) => exampleText(example, column));
  const [some] = flags.filter((flag) => !isApproval(flag));
  const variables =
    some && `\nEnvironment variables set flags too: ${variableOf(some.name)} is --${some.name}.\n`;
  return `${await help.getHelp()}\n\nExamples:\n${examples.join('')}${variables ?? ''}`;
}

function exampleText([line, meaning]: Command['examples'][number], column: number): string {
  const isNarrow = line.length <= column - 2 && 2 + column + meaning.length <= MAX_WIDTH;
  return isNarrow ? `  ${line.padEnd(column)}${meaning}\n` : `  ${line}\n      ${meaning}\n`;
}

/** Without a type: yargs would write "[string]" next to each. */
function yargsOption(option: Option) {
  const { name, about, alias, choices, default: standard, group } = option;
  const values = choices === undefined ? '' : `: ${choices.join(', ')}`;
  const describe = `${about}${values}${standard === undefined ? '' : ` (default: ${standard})`}`;
  const shown = [name, placeholderOf(option)].filter(Boolean).join(' ');
  return [shown, { describe, group: `${group}:`, ...(alias === undefined ? {} : { alias }) }] as const;
}
