/** What can be completed: commands, their words, their flags and what the flags take. */

import { PLAN_FORMATS, RESULT_FORMATS } from '../../report/formats.ts';
import { type Flag, flagsIn } from '../argv/flags.ts';
import type { Command, CommandTable } from '../command.ts';

/** Flags that decide which domains, runs and targets there are; `-f` is short for the first. */
export const WHERE = ['--file', '--target'] as const;

/** What a report may begin with; the name of a file follows. */
const REPORTS = { 'plan-report': prefixes(PLAN_FORMATS), 'result-report': prefixes(RESULT_FORMATS) };

function prefixes(formats: object): readonly string[] {
  return Object.keys(formats).map((format) => `${format}=`);
}

export interface CompletableFlag {
  readonly name: string;
  readonly alias: string | undefined;
  readonly describe: string;
  readonly isRepeatable: boolean;
  /** `choices` are the values; `text` is whatever a person knows, of which nothing can be offered. */
  readonly takes:
    | 'nothing'
    | 'text'
    | 'choices'
    | 'report'
    | Exclude<NonNullable<Flag['completes']>, keyof typeof REPORTS>;
  readonly choices: readonly string[];
}

export interface CompletableCommand {
  readonly name: string;
  readonly describe: string;
  /** By the word after the command, the words that may follow that one. */
  readonly subcommands: ReadonlyMap<string, readonly string[]>;
  /** What other arguments it takes, where something can be offered. */
  readonly takes: 'file' | Command['completes'];
  readonly flags: readonly CompletableFlag[];
}

/** Every command, in the order of the help. */
export function completableCommands(commands: CommandTable): Promise<CompletableCommand[]> {
  const entries = Object.entries(commands);
  return Promise.all(
    entries.map(async ([name, { describe, load }]) => commandOf(name, describe, await load())),
  );
}

function commandOf(name: string, describe: string, command: Command): CompletableCommand {
  const flags = Object.entries(flagsIn(command.flags)).map(([flag, of]) => flagOf(flag, of));
  return {
    name,
    describe,
    subcommands: wordsByFirst(command.subcommands ?? []),
    takes: command.completes ?? (/FILE|LIST/.test(command.positional ?? '') ? 'file' : undefined),
    flags: [...flags, flagOf('help', { type: 'boolean', alias: 'h', describe: 'Show help' })],
  };
}

function wordsByFirst(subcommands: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const words = new Map<string, string[]>();
  for (const [first = '', second] of subcommands.map((subcommand) => subcommand.split(' '))) {
    words.set(first, [...(words.get(first) ?? []), ...(second === undefined ? [] : [second])]);
  }
  return words;
}

function flagOf(name: string, { type, alias, describe, choices = [], completes }: Flag): CompletableFlag {
  if (completes === 'plan-report' || completes === 'result-report') {
    return { name, alias, describe, choices: REPORTS[completes], isRepeatable: true, takes: 'report' };
  }
  const value = completes ?? (choices.length > 0 ? 'choices' : 'text');
  return {
    name,
    alias,
    describe,
    choices,
    isRepeatable: type === 'list',
    takes: type === 'boolean' || type === 'switch' ? 'nothing' : value,
  };
}
