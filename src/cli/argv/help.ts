import yargs from 'yargs';
import { hang, pad, widestOf } from '../../report/text.ts';
import { COMMAND_GROUPS, COMMANDS, type Command } from '../commands.ts';
import { flagsIn, isApproval, type Option, optionsOf, placeholderOf, variableOf } from '../options.ts';

const MAX_WIDTH = 80;
/** Maximum length of an example that has its meaning on the same line. */
const MAX_EXAMPLE = 44;

function overview(width: number): string {
  const column = widestOf(Object.keys(COMMANDS)) + 2;
  const line = ([name, { about }]: readonly [string, Command]): string =>
    `  ${pad(name, column)}${about}`.slice(0, Math.max(width, 60));
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

/** Returns the help of a command, or that of the program. */
export async function helpOf(name: string | undefined, width: number): Promise<string> {
  const command = COMMANDS[name ?? ''];
  if (!name || !command) return overview(width);
  const { about, positional, examples } = command;
  const flags = flagsIn(optionsOf(name));
  const usage = ['websites', name, positional, flags.length > 0 ? '[flags]' : undefined].filter(Boolean);
  const help = yargs([])
    .locale('en')
    .version(false)
    .help(false)
    .options(Object.fromEntries(flags.map(flagHelp)))
    .usage(`${about}\n\nUsage: ${usage.join(' ')}`)
    .wrap(Math.min(width, MAX_WIDTH));
  const some = flags.find((flag) => !isApproval(flag));
  const variables =
    some && `\nEnvironment variables set flags too: ${variableOf(some.name)} is --${some.name}.\n`;
  return `${await help.getHelp()}\n\nExamples:\n${exampleLines(examples).join('\n')}\n${variables ?? ''}`;
}

/** Omits the type, because yargs would write "[string]" next to each flag. */
function flagHelp(option: Option) {
  const { name, about, alias, choices, default: standard, group } = option;
  const values = choices === undefined ? '' : `: ${choices.join(', ')}`;
  const describe = `${about}${values}${standard === undefined ? '' : ` (default: ${standard})`}`;
  const shown = [name, placeholderOf(option)].filter(Boolean).join(' ');
  return [shown, { describe, group: `${group}:`, ...(alias && { alias }) }] as const;
}

/** Examples are never wrapped: users copy them. */
function exampleLines(examples: Command['examples']): string[] {
  const isLong = (line: string): boolean => line.length > MAX_EXAMPLE;
  const column = widestOf(examples.map(([line]) => line).filter((line) => !isLong(line))) + 2;
  return examples.flatMap(([line, meaning]) =>
    isLong(line) ? [`  ${line}`, `      ${meaning}`] : hang(`  ${pad(line, column)}`, meaning, MAX_WIDTH),
  );
}
