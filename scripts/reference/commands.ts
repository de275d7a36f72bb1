/** The reference of all commands for the docs, from the table of commands and the flags of each. */

import { type Flag, type FlagTable, flagsIn, placeholderOf, variableOf } from '../../src/cli/argv/flags.ts';
import type { Command } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { markdownTable } from './keys.ts';

/** A section of Markdown for each command, in the order of the help. Ends in a line end. */
export async function commandReference(): Promise<string> {
  const sections = Object.entries(COMMANDS).map(async ([name, { describe, load }]) =>
    sectionOf(name, describe, await load()),
  );
  return (await Promise.all(sections)).join('\n');
}

function sectionOf(name: string, describe: string, command: Command): string {
  const { positional, examples } = command;
  const flags = flagsIn(command.flags);
  const usage = ['websites', name, positional, Object.keys(flags).length > 0 ? '[flags]' : undefined];
  const width = Math.max(...examples.map(([line]) => line.length));
  return [
    `## websites ${name}`,
    `${describe}.`,
    `\`${usage.filter(Boolean).join(' ')}\``,
    ['```sh', ...examples.map(([line, meaning]) => `${line.padEnd(width)}  # ${meaning}`), '```'].join('\n'),
    ...(Object.keys(flags).length > 0 ? [flagReference(flags).trimEnd()] : []),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

/** A Markdown table of `flags`. Ends in a line end. */
function flagReference(flags: FlagTable): string {
  const rows = Object.entries(flags).map(([name, flag]) => [
    flagWords(name, flag),
    flag.choices === undefined ? flag.describe : `${flag.describe}: ${choiceWords(flag.choices)}`,
    flag.default ?? '',
    flag.approval ? '' : `\`${variableOf(name)}\``,
  ]);
  return markdownTable([['flag', 'what it does', 'default', 'variable'], ...rows]);
}

function flagWords(name: string, flag: Flag): string {
  const value = [placeholderOf(flag), flag.type === 'list' ? '…' : undefined].filter(Boolean);
  const long = `\`${[`--${name}`, ...value].join(' ')}\``;
  return flag.alias === undefined ? long : `\`-${flag.alias}\`, ${long}`;
}

function choiceWords(choices: readonly string[]): string {
  return choices.map((choice) => `\`${choice}\``).join(', ');
}
