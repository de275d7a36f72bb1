/** From the words of the command line to a command and its arguments (yargs does the reading). */
import { Parser } from 'yargs/helpers';
import type { WebsitesError } from '../../model/errors.ts';
import { type Where, whereOf } from '../../model/next-command.ts';
import { nearest } from '../../util/did-you-mean.ts';
import { COMMANDS } from '../commands.ts';
import type { Io } from '../io/io.ts';
import { flagsIn, type Option, type Options, optionsOf, TYPES } from '../options.ts';
import { readFlags, readSwitch, usageError } from './flags.ts';

/** Either a text to show, or a command to run. */
export type Parsed =
  | { readonly help: string }
  | {
      readonly command: string;
      readonly flags: Readonly<Record<string, unknown>>;
      readonly args: readonly string[];
      readonly where: Where;
    };

/** Reads `argv` (without node and script). Throws `usage`. */
export async function parseCommandLine(argv: readonly string[], io: Io): Promise<Parsed> {
  const words = asCommand(argv);
  const wantsHelp = words.includes('--help') || words.includes('-h');
  const index = words.findIndex((word) => !word.startsWith('-'));
  const name = words[index];
  if (name === undefined) {
    if (wantsHelp || words.length === 0) return { help: (await import('./help.ts')).overview(io.width) };
    throw usageError(`Unknown flag without a command: ${words[0]}`);
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw noSuchCommand(name, index === 0 ? [] : words.slice(index + 1));
  if (wantsHelp) return { help: await (await import('./help.ts')).commandHelp(name, command, io.width) };
  const help = `See "websites ${name} --help".`;
  const options = optionsOf(name);
  const { _: args, ...given } = readWords(
    words.filter((_, at) => at !== index),
    flagsIn(options),
    help,
  );
  if (command.positional === undefined && args.length > 0) {
    throw usageError(
      `"websites ${name}" takes no argument ${JSON.stringify(args[0])}.`,
      howFilesAreNamed(options) ?? help,
    );
  }
  return { command: name, flags: readFlags(options, given, io.env, io.err), args, where: whereOf(given) };
}

/** `help COMMAND` is its --help, and --version a command like any other. */
function asCommand([first, ...rest]: readonly string[]): readonly string[] {
  if (first === 'help') return [...rest, '--help'];
  if (first === '--version') return ['version', ...rest];
  return first === undefined ? [] : [first, ...rest];
}

/** An argument too many is mostly a file, which some commands read and some only write. */
function howFilesAreNamed({ file, out }: Options): string | undefined {
  const written = out && 'Pass the file to write with --out.';
  if (file === undefined) return written;
  return `Pass files to read with -f.${written === undefined ? '' : ` ${written}`}`;
}

/** `rest` is what comes after the word, where that may be the value of a flag before it. */
function noSuchCommand(name: string, rest: readonly string[]): WebsitesError {
  const later = rest.find((word) => Object.hasOwn(COMMANDS, word));
  if (later !== undefined) {
    return usageError(
      `Unknown command: ${name}.`,
      `Write "websites ${later}" first, and its flags after it.`,
    );
  }
  const near = meant(name, COMMAND_SYNONYMS) ?? nearest(name, Object.keys(COMMANDS));
  return usageError(`Unknown command: ${name}.`, near && `Did you mean "websites ${near}"?`);
}

/** What commands and flags are called in Terraform, kubectl, decK, octoDNS and DNSControl: whoever types one means ours. */
const COMMAND_SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  plan: ['diff', 'preview'],
  apply: ['sync', 'push'],
  export: ['dump'],
  drift: ['refresh', 'status'],
  undo: ['rollback', 'destroy'],
  validate: ['lint', 'check'],
  runs: ['history'],
  list: ['ls', 'get'],
};
const FLAG_SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  'auto-approve': ['yes', 'y', 'force', 'doit'],
  format: ['o', 'output'],
  'format json': ['json'],
  file: ['config'],
};

function meant(word: string, synonyms: Readonly<Record<string, readonly string[]>>): string | undefined {
  return Object.keys(synonyms).find((name) => synonyms[name]?.includes(word));
}

const READER = {
  'camel-case-expansion': false,
  'dot-notation': false,
  'parse-numbers': false,
  'parse-positional-numbers': false,
  'strip-aliased': true,
};

/** Given without a value. */
function isBoolean({ type }: Option): boolean {
  return TYPES[type].reads === 'boolean';
}

/** What the parser makes of `words`, which it does not check. */
export function parseWords(words: readonly string[], flags: Options) {
  const all = Object.values(flags);
  const withValue = all.filter((flag) => !isBoolean(flag)).map(({ name }) => name);
  return Parser.detailed([...words], {
    boolean: all.filter(isBoolean).map(({ name }) => name),
    string: withValue,
    // Exactly one value for each, which may not look like a flag.
    narg: Object.fromEntries(withValue.map((name) => [name, Number.NaN])),
    alias: Object.fromEntries(all.flatMap(({ name, alias }) => (alias ? [[name, [alias]]] : []))),
    configuration: READER,
  });
}

/** `help` is what to do where no flag is near to what was written. */
function readWords(
  words: readonly string[],
  flags: Options,
  help: string,
): Record<string, unknown> & { _: string[] } {
  const { argv, error } = parseWords(withPlainSwitches(words, flags), flags);
  if (error !== null) {
    const reason = error.message.replace(
      /^Not enough arguments following: (.+)$/,
      (_, name) => `${dashed(name)} needs a value`,
    );
    throw usageError(`${reason}.`, help);
  }
  const { _, ...given } = argv;
  const all = Object.values(flags);
  const known = all.flatMap(({ name, alias = name }) => [name, alias]);
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown !== undefined) throw noSuchFlag(unknown, words, flags, help);
  const refused = all.find((flag) => !isBoolean(flag) && [given[flag.name]].flat().includes(false));
  if (refused !== undefined) throw usageError(`Unknown flag: --no-${refused.name}.`, help);
  refuseRepeated(words, all);
  return { ...given, _: _.map(String) };
}

/** What to do instead of a flag that is expected, by its name. */
const INSTEAD: ReadonlyMap<string, string> = new Map([
  ['dry-run', 'Use "websites plan": it never changes anything.'],
]);

/**
 * A long flag behind one dash, as other tools have them, is read as letters: it is shown as it was written, where it is
 * like one that there is. What is not may be a letter with a value, and values are not shown.
 */
function noSuchFlag(unknown: string, words: readonly string[], flags: Options, help: string): WebsitesError {
  const isLetter = unknown.length === 1;
  const word = isLetter && words.find((each) => /^-[^-]/.test(each) && each.includes(unknown));
  const name = word ? word.slice(1).replace(/=.*/s, '') : unknown;
  const instead = INSTEAD.get(name);
  if (instead !== undefined) return usageError(`Unknown flag: --${name}.`, instead);
  const names = Object.keys(flags);
  const synonym = meant(name, FLAG_SYNONYMS);
  const near = synonym && flags[synonym.split(' ')[0] ?? ''] ? synonym : nearest(name, names);
  if (near !== undefined) {
    return usageError(`Unknown flag: ${isLetter ? '-' : '--'}${name}.`, `Did you mean --${near}?`);
  }
  const isAttached = word && Object.values(flags).some((flag) => !isBoolean(flag) && flag.alias === name[0]);
  const remedy = isAttached ? `The value of -${name[0]} stands apart: -${name[0]} VALUE.` : help;
  return usageError(`Unknown flag: ${dashed(unknown)}.`, remedy);
}

/** Throws `usage` for an approval without a value that is given several times: the parser takes the last word. */
function refuseRepeated(words: readonly string[], flags: readonly Option[]): void {
  for (const { name, type } of flags) {
    if (type !== 'approval') continue;
    const ways = [`--${name}`, `--no-${name}`];
    const { length } = words.filter((word) => ways.includes(word.replace(/=.*/s, '')));
    if (length > 1) throw usageError(`--${name} is given ${length} times.`, 'Give it once.');
  }
}

/**
 * The words with each `--flag=word` of a boolean flag as true or false, since the parser would take any other word for a
 * no; and each switch with a word.
 */
function withPlainSwitches(words: readonly string[], flags: Options): string[] {
  return words.map((word) => {
    const [, no, bare = ''] = /^--(no-)?([a-z-]+)$/.exec(word) ?? [];
    if (flags[bare]?.type === 'switch') return `--${bare}=${no === undefined}`;
    const [, written = '', value = ''] = /^--([^=]+)=(.*)$/s.exec(word) ?? [];
    const flag = flags[written];
    return flag && isBoolean(flag) ? `--${written}=${readSwitch(`--${written}`, value)}` : word;
  });
}

function dashed(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`;
}
