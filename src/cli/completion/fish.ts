/** The completion script for fish. */
import { type CompletableCommand, type CompletableFlag, WHERE } from './model.ts';

export function fishScript(commands: readonly CompletableCommand[]): string {
  return `# Completion of websites for fish.

# Offers what the command lists: domains, runs or targets.
function __websites_ask
    set -l words (commandline -opc)
    set -l where
    for index in (seq 2 (count $words))
        switch $words[$index]
            case -f
                set -a where --file=$words[(math $index + 1)]
            case ${WHERE.join(' ')}
                set -a where $words[$index]=$words[(math $index + 1)]
            case ${WHERE.map((flag) => `'${flag}=*'`).join(' ')}
                set -a where $words[$index]
        end
    end
    set where (string replace -r -- '=~/' =$HOME/ $where)
    websites completion $argv[1] $where -- (string replace -r -- '^--[a-z]+=' '' (commandline -ct)) 2>/dev/null
end

complete -c websites -f
${commands.flatMap((command) => commandLines(command, commands)).join('\n')}
`;
}

function commandLines(command: CompletableCommand, all: readonly CompletableCommand[]): string[] {
  const { name, describe, flags } = command;
  const isHere = whereIs(command, all);
  const when = (condition: string, ...rest: string[]): string =>
    ['complete -c websites -n', quoted(condition), ...rest].join(' ');
  return [
    when('__fish_use_subcommand', '-a', name, '-d', quoted(describe)),
    ...argumentLines(command, isHere, when),
    ...flags.map((flag) => when(isHere, ...flagWords(flag))),
  ];
}

/** The name of a command may be a word of another command. */
function whereIs({ name }: CompletableCommand, all: readonly CompletableCommand[]): string {
  const others = all.filter(({ subcommands }) =>
    [...subcommands.values()].some((words) => words.includes(name)),
  );
  const not = others.map((other) => `; and not __fish_seen_subcommand_from ${other.name}`);
  return `__fish_seen_subcommand_from ${name}${not.join('')}`;
}

function argumentLines(
  { name, subcommands, takes }: CompletableCommand,
  isHere: string,
  when: (condition: string, ...rest: string[]) => string,
): string[] {
  const seen = (words: readonly string[]): string => `__fish_seen_subcommand_from ${words.join(' ')}`;
  const firsts = [...subcommands.keys()];
  if (firsts.length === 0) return takes === undefined ? [] : [when(isHere, ...OFFERS[takes])];
  const further = [...subcommands].flatMap(([first, seconds]) => {
    const isAfter = `${seen([name])}; and ${seen([first])}`;
    if (seconds.length === 0) return takes === 'file' ? [when(isAfter, '-F')] : [];
    return [when(`${isAfter}; and not ${seen(seconds)}`, '-a', quoted(seconds.join(' ')))];
  });
  return [when(`${seen([name])}; and not ${seen(firsts)}`, '-a', quoted(firsts.join(' '))), ...further];
}

const OFFERS = {
  file: ['-F'],
  domain: ['-a', quoted('(__websites_ask domains)')],
  group: ['-a', quoted('(__websites_ask groups)')],
  run: ['-a', quoted('(__websites_ask runs)')],
  target: ['-a', quoted('(__websites_ask targets)')],
} as const;

const TAKES = {
  nothing: [],
  text: ['-x'],
  file: ['-r', '-F'],
  folder: ['-x', '-a', quoted('(__fish_complete_directories)')],
  domain: ['-x', ...OFFERS.domain],
  group: ['-x', ...OFFERS.group],
  target: ['-x', ...OFFERS.target],
  report: ['-r', '-F'],
  choices: ['-x'],
} as const;

function flagWords({ name, alias, describe, takes, choices }: CompletableFlag): string[] {
  return [
    ...(alias === undefined ? [] : ['-s', alias]),
    '-l',
    name,
    ...TAKES[takes],
    ...(choices.length > 0 ? ['-a', quoted(choices.join(' '))] : []),
    '-d',
    quoted(describe),
  ];
}

/** In single quotes, in which fish reads backslashes. */
function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
