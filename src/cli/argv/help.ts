import yargs from 'yargs';
import { linedUp } from '../../report/text.ts';
import { COMMAND_GROUPS, COMMANDS } from '../commands.ts';
import { flagsIn, type Option, optionsOf, placeholderOf } from '../options.ts';

const MAX_WIDTH = 80;

function overview(): string {
  return [
    'Manage website records as code: declare them in websites.yaml, preview every',
    'change with "websites plan", and update the service with "websites apply".',
    '',
    'Usage: websites COMMAND [flags]',
    ...Object.entries(COMMAND_GROUPS).flatMap(([group, commands]) => [
      '',
      `${group}:`,
      ...linedUp(Object.entries(commands).map(([name, { about }]) => [`  ${name}`, about])),
    ]),
    '',
    'Run "websites COMMAND --help" for its flags and examples.',
    'Environment variables set flags too: WEBSITES_FORMAT is --format.',
    'In a clone where it is not installed, run "npx --no websites" instead.',
    '',
  ].join('\n');
}

/** Returns the help of the command, or of the program. */
export async function helpOf(name: string, width: number): Promise<string> {
  const command = COMMANDS[name];
  if (command === undefined) return overview();
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
  // Examples are never wrapped: users copy them.
  const lines = examples.map(([line, meaning]) => `  ${line}\n      ${meaning}\n`);
  return `${await help.getHelp()}\n\nExamples:\n${lines.join('')}`;
}

/** Omits the type, because yargs would write "[string]" next to each flag. */
function flagHelp(option: Option) {
  const { name, about, alias, choices, default: standard, group } = option;
  const values = choices === undefined ? '' : `: ${choices.join(', ')}`;
  const describe = `${about}${values}${standard === undefined ? '' : ` (default: ${standard})`}`;
  const shown = [name, placeholderOf(option)].filter(Boolean).join(' ');
  return [shown, { describe, group: `${group}:`, ...(alias && { alias }) }] as const;
}
