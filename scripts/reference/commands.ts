import { COMMANDS, type Command } from '../../src/cli/commands.ts';
import { flagsIn, isApproval, type Option, optionsOf, placeholderOf } from '../../src/cli/options.ts';
import { OUTCOMES } from '../../src/model/errors.ts';
import { markdownTable } from './keys.ts';

/** Returns the table of exit codes, with a final line end. */
export function exitReference(): string {
  const rows = OUTCOMES.toSorted(([, one], [, other]) => one - other).map(([, code, meaning]) => [
    `${code}`,
    meaning,
  ]);
  const order = OUTCOMES.map(([, code]) => code).join(', ');
  return `${markdownTable([['exit', 'meaning'], ...rows])}\nIf several apply, the first of ${order} is used.\n`;
}

/** A flag that at least this number of commands share is described only once. */
const SHARED_BY = 3;

const NAMES = Object.keys(COMMANDS);

/** Returns sections by name: `shared` flags, and one table per command. */
export function commandSections(): Readonly<Record<string, string>> {
  const sections = NAMES.map((name) => [name, sectionOf(name)] as const);
  return { shared: flagReference([...sharedFlags().values()]), ...Object.fromEntries(sections) };
}

/** Returns shared flags by their text. Omits a name that has two meanings. */
function sharedFlags(): Map<string, Option> {
  // Starts with the plan, which has most flags, in the order of the help.
  const names = ['plan', ...NAMES.filter((name) => name !== 'plan')];
  const flags = names.flatMap((name) => flagsIn(optionsOf(name)));
  const texts = flags.map((flag) => flagReference([flag]));
  const often = (text: string) => texts.filter((other) => other === text).length >= SHARED_BY;
  const shared = new Map(
    texts.map((text, at) => [text, flags[at] as Option] as const).filter(([text]) => often(text)),
  );
  const named = (name: string) => [...shared.values()].filter((flag) => flag.name === name).length;
  return new Map([...shared].filter(([, flag]) => named(flag.name) === 1));
}

function sectionOf(name: string): string {
  const { about, positional, examples } = COMMANDS[name] as Command;
  const shared = sharedFlags();
  const flags = flagsIn(optionsOf(name));
  const isShared = (flag: Option) => shared.has(flagReference([flag]));
  const own = flags.filter((flag) => !isShared(flag));
  const common = flags.filter(isShared).map((flag) => `\`--${flag.name}\``);
  const usage = ['websites', name, positional, flags.length > 0 ? '[flags]' : undefined];
  const width = Math.max(...examples.map(([line]) => line.length));
  return [
    `${about}.`,
    `\`${usage.filter(Boolean).join(' ')}\``,
    ['```sh', ...examples.map(([line, meaning]) => `${line.padEnd(width)}  # ${meaning}`), '```'].join('\n'),
    own.length > 0 ? flagReference(own).trimEnd() : [],
    common.length > 0 ? `[Shared flags](#shared-flags): ${common.join(', ')}` : [],
  ]
    .flat()
    .join('\n\n')
    .concat('\n');
}

/** Returns a table of flags, with a final line end. */
function flagReference(flags: readonly Option[]): string {
  const rows = flags.map((flag) => [
    isApproval(flag) ? `${flagWords(flag)} \\*` : flagWords(flag),
    flag.choices === undefined ? flag.about : `${flag.about}: ${choiceWords(flag.choices)}`,
    flag.default ?? '',
  ]);
  return markdownTable([['flag', 'what it does', 'default'], ...rows]);
}

function flagWords(flag: Option): string {
  const long = `\`${[`--${flag.name}`, placeholderOf(flag)].filter(Boolean).join(' ')}\``;
  return flag.alias === undefined ? long : `\`-${flag.alias}\`, ${long}`;
}

function choiceWords(choices: readonly string[]): string {
  return choices.map((choice) => `\`${choice}\``).join(', ');
}
