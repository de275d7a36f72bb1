/** The reference of all commands for the docs, from the table of commands and the flags of each. */

import { COMMANDS, type Command } from '../../src/cli/commands.ts';
import {
  flagsIn,
  isApproval,
  type Option,
  optionsOf,
  placeholderOf,
  TYPES,
  variableOf,
} from '../../src/cli/options.ts';
import { OUTCOMES } from '../../src/model/errors.ts';
import { markdownTable } from './keys.ts';

/** The exit codes by number, and which of several is used. Ends in a line end. */
export function exitReference(): string {
  const rows = OUTCOMES.toSorted(([, one], [, other]) => one - other).map(([, code, meaning]) => [
    `${code}`,
    meaning,
  ]);
  const order = OUTCOMES.map(([, code]) => code).join(', ');
  return `${markdownTable([['exit', 'meaning'], ...rows])}\nIf several apply, the first of ${order} is used.\n`;
}

/** A section of Markdown for each command, in the order of the help. Ends in a line end. */
export function commandReference(): string {
  return Object.entries(COMMANDS)
    .map(([name, command]) => sectionOf(name, command))
    .join('\n');
}

function sectionOf(name: string, { about, positional, examples }: Command): string {
  const flags = Object.values(flagsIn(optionsOf(name)));
  const usage = ['websites', name, positional, flags.length > 0 ? '[flags]' : undefined];
  const width = Math.max(...examples.map(([line]) => line.length));
  return [
    `## websites ${name}`,
    `${about}.`,
    `\`${usage.filter(Boolean).join(' ')}\``,
    ['```sh', ...examples.map(([line, meaning]) => `${line.padEnd(width)}  # ${meaning}`), '```'].join('\n'),
    ...(flags.length > 0 ? [flagReference(flags).trimEnd()] : []),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

/** A Markdown table of `flags`. Ends in a line end. */
function flagReference(flags: readonly Option[]): string {
  const rows = flags.map((flag) => [
    flagWords(flag),
    flag.choices === undefined ? flag.about : `${flag.about}: ${choiceWords(flag.choices)}`,
    flag.default ?? '',
    isApproval(flag) ? '' : `\`${variableOf(flag.name)}\``,
  ]);
  return markdownTable([['flag', 'what it does', 'default', 'variable'], ...rows]);
}

function flagWords(flag: Option): string {
  const value = [placeholderOf(flag), TYPES[flag.type].reads === 'list' ? '…' : undefined].filter(Boolean);
  const long = `\`${[`--${flag.name}`, ...value].join(' ')}\``;
  return flag.alias === undefined ? long : `\`-${flag.alias}\`, ${long}`;
}

function choiceWords(choices: readonly string[]): string {
  return choices.map((choice) => `\`${choice}\``).join(', ');
}
