import { parseArgs } from 'node:util';
import type { WebsitesError } from '../../model/errors.ts';
import { type Where, whereOf } from '../../model/next-command.ts';
import { nearest } from '../../util/did-you-mean.ts';
import { COMMANDS, type Command, countsOf } from '../commands.ts';
import type { Io } from '../io/io.ts';
import { flagsIn, type Option, type Options, optionsOf, takesValue } from '../options.ts';
import { readFlags, usageError } from './flags.ts';

export type Parsed =
  | { readonly help: string }
  | {
      readonly command: string;
      readonly load: Command['load'];
      readonly flags: Readonly<Record<string, unknown>>;
      readonly args: readonly string[];
      readonly where: Where;
    };

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
  const options = optionsOf(name);
  const help = `See "websites ${name} --help".`;
  const { args, given } = collect(words.toSpliced(index, 1), flagsIn(options), help);
  const [least, most] = countsOf(command);
  if (args.length < least) throw usageError(`"websites ${name}" needs ${command.positional}.`, help);
  if (args.length > most) {
    const extra = JSON.stringify(args[most]);
    throw usageError(`"websites ${name}" takes no argument ${extra}.`, howFilesAreNamed(options) ?? help);
  }
  const flags = readFlags(options, given, io.env, io.err);
  return { command: name, load: command.load, flags, args, where: whereOf(given) };
}

function asCommand([first, ...rest]: readonly string[]): readonly string[] {
  if (first === 'help') return [...rest, '--help'];
  if (first === '--version') return ['version', ...rest];
  return first === undefined ? [] : [first, ...rest];
}

/** Returns the remedy for an extra argument. It is usually a file, which must be passed with -f or --out. */
function howFilesAreNamed({ file, out }: Options): string | undefined {
  const written = out && 'Pass the file to write with --out.';
  if (file === undefined) return written;
  return `Pass files to read with -f.${written === undefined ? '' : ` ${written}`}`;
}

/** `rest` are the words after the unknown command. They may contain the command, if a flag with a value came first. */
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

/**
 * Names of commands and flags in Terraform, kubectl, decK, octoDNS and DNSControl. An unknown name in this table gets
 * a suggestion.
 */
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

function flagOf(name: string, flags: Options): Option | undefined {
  return Object.hasOwn(flags, name) ? flags[name] : undefined;
}

function negated({ name, value }: FlagToken, flags: Options): Option | undefined {
  const flag = name.startsWith('no-') && value === undefined ? flagOf(name.slice(3), flags) : undefined;
  return flag === undefined || takesValue(flag) ? undefined : flag;
}

function tokensOf(words: readonly string[], flags: Options) {
  const types = Object.values(flags).map((flag) => {
    const type = takesValue(flag) ? ('string' as const) : ('boolean' as const);
    return [flag.name, { type, ...(flag.alias === undefined ? {} : { short: flag.alias }) }] as const;
  });
  const options = Object.fromEntries(types);
  return parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

type FlagToken = Extract<ReturnType<typeof tokensOf>[number], { kind: 'option' }>;

/**
 * Returns the arguments, and the values of each flag. If `help`, the remedy, is given, throws `usage` for an invalid
 * flag.
 */
export function collect(words: readonly string[], flags: Options, help?: string) {
  const tokens = tokensOf(words, flags);
  const args = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  const given: Record<string, (string | boolean)[]> = {};
  for (const token of tokens.filter(({ kind }) => kind === 'option') as FlagToken[]) {
    const off = negated(token, flags);
    const flag = off ?? flagOf(token.name, flags);
    if (help !== undefined) check(token, words[token.index] ?? '', flags, help);
    const isJoined = token.inlineValue && token.rawName.length === 2;
    const value = isJoined ? token.value.replace(/^=/, '') : (token.value ?? off === undefined);
    if (flag !== undefined) given[flag.name] = [...(given[flag.name] ?? []), value];
  }
  return { args, given };
}

function check(token: FlagToken, word: string, flags: Options, help: string): void {
  const { name, rawName, value, inlineValue } = token;
  const [, long] = /^-([^-=][^=]+)/.exec(word) ?? [];
  // A word with one dash may be a short flag and its value: `-fFILE`.
  const near = long && flagMeant(long, flags);
  if (near) throw usageError(`Unknown flag: -${long}.`, near);
  const flag = negated(token, flags) ?? flagOf(name, flags);
  if (flag === undefined) {
    // A flag with a value has no `--no-` form.
    const plain = name.replace(/^no-/, '');
    const isThere = flagOf(plain, flags) !== undefined;
    throw usageError(`Unknown flag: ${rawName}.`, (isThere ? undefined : flagMeant(plain, flags)) ?? help);
  }
  const isMissing = value === undefined || (!inlineValue && /^-./.test(value));
  if (takesValue(flag) && isMissing) throw usageError(`${rawName} needs a value.`, help);
}

/** Returns a remedy for an unknown flag: the flag that has this meaning, or a similar name. */
function flagMeant(name: string, flags: Options): string | undefined {
  if (name === 'dry-run') return 'Use "websites plan": it never changes anything.';
  const synonym = meant(name, FLAG_SYNONYMS);
  const known = synonym && flags[synonym.split(' ')[0] ?? ''] ? synonym : nearest(name, Object.keys(flags));
  return known && `Did you mean --${known}?`;
}
