import { type NextFlags, nextFlagsOf } from '../../model/next-command.ts';
import { nearest, suggestion } from '../../util/did-you-mean.ts';
import { COMMANDS, countsOf } from '../commands.ts';
import type { Io } from '../io/io.ts';
import { flagsIn, type Option, type Options, optionsOf, takesValue } from '../options.ts';
import { readFlags, usageError } from './flags.ts';

export type Parsed =
  | { readonly help: string }
  | {
      readonly command: string;
      readonly flags: Readonly<Record<string, unknown>>;
      readonly args: readonly string[];
      readonly nextFlags: NextFlags;
    };

export async function parseCommandLine(argv: readonly string[], io: Io): Promise<Parsed> {
  const words = asCommand(argv);
  const index = words.findIndex((word) => !word.startsWith('-'));
  const name = words[index] ?? '';
  const command = COMMANDS[name];
  const wantsHelp = words.length === 0 || words.includes('--help') || words.includes('-h');
  if (wantsHelp && (command !== undefined || name === ''))
    return { help: await (await import('./help.ts')).helpOf(name, io.width) };
  if (command === undefined) {
    const remedy = 'Write the command first, and its flags after it.';
    throw usageError(
      `Unknown command: ${name || words[0]}.`,
      suggestion(name, Object.keys(COMMANDS), remedy),
    );
  }
  const options = optionsOf(name);
  const help = `See "websites ${name} --help".`;
  const { args, given } = collectWords(words.toSpliced(index, 1), flagsIn(options), help);
  const [least, most] = countsOf(command);
  if (args.length < least) throw usageError(`"websites ${name}" needs ${command.positional}.`, help);
  const { accepts = args } = command;
  const extra = args[most] ?? args.find((arg) => !accepts.includes(arg));
  if (extra !== undefined) {
    // An extra argument is usually a file.
    const isFile = options.some((option) => option.name === 'file');
    const remedy = suggestion(
      extra,
      command.accepts ?? [],
      isFile ? `Pass files to read with -f. ${help}` : help,
    );
    throw usageError(`Invalid argument for "websites ${name}": ${JSON.stringify(extra)}.`, remedy);
  }
  const flags = readFlags(options, given, io.env);
  return { command: name, flags, args, nextFlags: nextFlagsOf(given) };
}

function asCommand(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  if (first === 'help') return [...rest, '--help'];
  return first === '--version' ? ['version', ...rest] : argv;
}

/** A lone dash is not a flag: it means standard input. */
const IS_FLAG = /^-./;

/** Returns the arguments, and the values of each flag. Throws `usage` with the remedy `help` for an invalid flag. */
export function collectWords(words: readonly string[], flags: Options, help: string) {
  const args: string[] = [];
  const given: Record<string, string[]> = {};
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') return { args: [...args, ...rest], given };
    if (!IS_FLAG.test(word)) {
      args.push(word);
      continue;
    }
    const { flag, text } = flagIn(word, flags, help);
    const value = text ?? (takesValue(flag) ? (rest.shift() ?? '--') : 'true');
    if (text === undefined && IS_FLAG.test(value)) throw usageError(`${word} needs a value.`, help);
    given[flag.key] = [...(given[flag.key] ?? []), value];
  }
  return { args, given };
}

/** Reads `--flag`, `--flag=TEXT`, `--no-flag`, `-f`, `-fTEXT` or `-f=TEXT`. */
function flagIn(word: string, flags: Options, help: string): { flag: Option; text: string | undefined } {
  const [, dashes = '', name = '', text] = /^(--?)([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const plain = name.replace(/^no-/, '');
  const near = flagMeant(plain, flags);
  if (dashes === '-') {
    const letter = word.charAt(1);
    const flag = flags.find(({ alias }) => alias === letter);
    if (flag && !near) return { flag, text: word.slice(2).replace(/^=/, '') || undefined };
    throw usageError(`Unknown flag: -${near ? name : letter}.`, near ?? help);
  }
  const flag = flags.find((one) => one.name === name);
  if (flag) return { flag, text };
  const off = flags.find((one) => one.name === plain);
  if (off && !takesValue(off) && text === undefined) return { flag: off, text: 'false' };
  // A flag with a value has no `--no-` form.
  throw usageError(`Unknown flag: --${name}.`, near ?? help);
}

/** Returns a remedy for an unknown flag. */
function flagMeant(name: string, flags: Options): string | undefined {
  if (name === 'dry-run') return 'Use "websites plan": it never changes anything.';
  const near = nearest(
    name,
    flags.map((flag) => flag.name),
  );
  return near && `Did you mean --${near}?`;
}
