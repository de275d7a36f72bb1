/** The completion script for fish. */
import type { CompletableCommand, CompletableFlag } from './model.ts';

export function fishScript(commands: readonly CompletableCommand[]): string {
  return `# Completion of websites for fish.

function __websites_domains
    set -l words (commandline -opc)
    set -l files
    for index in (seq 2 (count $words))
        switch $words[$index]
            case -f --file
                set -a files $words[(math $index + 1)]
            case '--file=*'
                set -a files (string replace -- --file= '' $words[$index])
        end
    end
    set files --file=(string replace -r -- '^~/' $HOME/ $files)
    websites completion domains $files -- (string replace -r -- '^--[a-z]+=' '' (commandline -ct)) 2>/dev/null
end

complete -c websites -f
${commands.flatMap(commandLines).join('\n')}
`;
}

function commandLines(command: CompletableCommand): string[] {
  const { name, describe, flags } = command;
  const isHere = `__fish_seen_subcommand_from ${name}`;
  const when = (condition: string, ...rest: string[]): string =>
    ['complete -c websites -n', quoted(condition), ...rest].join(' ');
  return [
    when('__fish_use_subcommand', '-a', name, '-d', quoted(describe)),
    ...argumentLines(command, when),
    ...flags.map((flag) => when(isHere, ...flagWords(flag))),
  ];
}

function argumentLines(
  { name, subcommands, takesFiles }: CompletableCommand,
  when: (condition: string, ...rest: string[]) => string,
): string[] {
  const seen = (words: readonly string[]): string => `__fish_seen_subcommand_from ${words.join(' ')}`;
  const firsts = [...subcommands.keys()];
  if (firsts.length === 0) return takesFiles ? [when(seen([name]), '-F')] : [];
  const further = [...subcommands].flatMap(([first, seconds]) => {
    const isAfter = `${seen([name])}; and ${seen([first])}`;
    if (seconds.length === 0) return takesFiles ? [when(isAfter, '-F')] : [];
    return [when(`${isAfter}; and not ${seen(seconds)}`, '-a', quoted(seconds.join(' ')))];
  });
  return [when(`${seen([name])}; and not ${seen(firsts)}`, '-a', quoted(firsts.join(' '))), ...further];
}

const TAKES = {
  nothing: [],
  text: ['-x'],
  file: ['-r', '-F'],
  folder: ['-x', '-a', quoted('(__fish_complete_directories)')],
  domain: ['-x', '-a', quoted('(__websites_domains)')],
} as const;

function flagWords({ name, alias, describe, takes, choices }: CompletableFlag): string[] {
  return [
    ...(alias === undefined ? [] : ['-s', alias]),
    '-l',
    name,
    ...(takes === 'choices' ? ['-x', '-a', quoted(choices.join(' '))] : TAKES[takes]),
    '-d',
    quoted(describe),
  ];
}

/** In single quotes, in which fish reads backslashes. */
function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
