import { isStream } from '../config/files/files.ts';
import { loadEach, loadTargetNames } from '../config/load.ts';
import { RESULT_FORMATS } from '../report/formats.ts';
import { runIds } from '../run/file/write.ts';
import { runsFolder } from '../sync/state.ts';
import { readFlags } from './argv/flags.ts';
import { collectWords } from './argv/parse.ts';
import { COMMANDS } from './commands.ts';
import { loadIfAny, loadOptions } from './files.ts';
import { type Io, withOwn } from './io/io.ts';
import { type Flags, flagsIn, optionsOf, TYPES, takesValue } from './options.ts';

const MAX_OFFERED = 1000;

/**
 * Completes the last of the typed words. Returns words, with a tab and a description if they have one, or `:file` if
 * the shell should complete a file name.
 */
export async function complete(raw: readonly string[], io: Io): Promise<readonly string[]> {
  const words = plainWords(raw, io.env.HOME);
  const [current = '', prefix = '', flag] = /^((--[^=]+)=)?.*$/s.exec(words.pop() ?? '') ?? [];
  const line = readLine(flag === undefined ? words : [...words, flag]);
  if (flag !== undefined && line.expected === undefined) return [];
  const offered = await offersFor(line, current, withOwn(io, { err: () => undefined })).catch(() => []);
  return offered
    .map((word) => (word.startsWith(':') ? word : prefix + word))
    .filter((word) => word.startsWith(':') || word.startsWith(current))
    .slice(0, MAX_OFFERED);
}

/** Removes quotes, expands `~`, and joins the three words that bash makes of `--flag=value`. */
function plainWords(raw: readonly string[], home = '~'): string[] {
  const joined = raw.join('\0').replaceAll(/\0=(?:\0|$)/g, '=');
  return joined.split('\0').map((word) => word.replaceAll(/[\\"']/g, '').replace(/(?<=^|=)~(?=\/)/, home));
}

type Typed = ReturnType<typeof readLine>;

function readLine(words: readonly string[]) {
  const name = words.find((word) => !word.startsWith('-')) ?? '';
  const command = COMMANDS[name];
  const options = optionsOf(name);
  const [, last = ''] = /^--?([^=]+)$/.exec(words.at(-1) ?? '') ?? [];
  const expected = flagsIn(options).find(
    (flag) => takesValue(flag) && [flag.name, flag.alias].includes(last),
  );
  const { args, given } = collectWords(expected === undefined ? words : words.slice(0, -1), options, '');
  return { command, options, given, expected, hasArgument: args.length > 1 };
}

async function offersFor(line: Typed, current: string, io: Io): Promise<readonly string[]> {
  const { command, options, expected, hasArgument } = line;
  if (command === undefined) return Object.entries(COMMANDS).map(([name, { about }]) => `${name}\t${about}`);
  if (expected !== undefined) {
    const kind = TYPES[expected.type];
    return expected.choices ?? ('offers' in kind ? ask(kind.offers, line, io) : []);
  }
  if (current.startsWith('-')) {
    const lines = flagsIn(options).map(({ name, about }) => `--${name}\t${about}`);
    return [...lines, '--help\tShow help'];
  }
  const { offers, accepts = [] } = command;
  if (offers !== undefined) return ask(offers, line, io);
  return hasArgument ? [] : accepts;
}

type Offers = Extract<(typeof TYPES)[keyof typeof TYPES], { offers: string }>['offers'] | 'run';

async function ask(what: Offers, { options, given }: Typed, io: Io): Promise<readonly string[]> {
  if (what === 'file') return [':file'];
  if (what === 'report') return [...Object.keys(RESULT_FORMATS).map((format) => `${format}=`), ':file'];
  const read = readFlags(options, given, io.env) as Flags<'runs'>;
  const flags = { ...read, file: read.file?.filter((file) => !isStream(file)) };
  if (what === 'target') return loadTargetNames(loadOptions(flags, io));
  if (what === 'run') {
    const { root } = await loadIfAny(flags, io, true);
    return (await runIds(runsFolder(root))).toReversed();
  }
  const configs = await loadEach(loadOptions(flags, io));
  const names = configs.flatMap(({ groups, desired }) =>
    what === 'group' ? [...groups.keys()] : desired.websites.map(({ domain }) => domain),
  );
  return [...new Set(names)];
}
