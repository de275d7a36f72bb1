/** What a shell may offer for the last word of a command line (`websites __complete WORD…`). */
import { isStream } from '../config/files/files.ts';
import { loadEach, loadTargetNames } from '../config/load.ts';
import { PLAN_FORMATS, RESULT_FORMATS } from '../report/formats.ts';
import { runIds } from '../run/file/write.ts';
import { runsFolder } from '../sync/state.ts';
import { type Flag, type FlagTable, type FlagValues, flagsIn, readFlags } from './argv/flags.ts';
import { parseWords } from './argv/parse.ts';
import { FILE_FLAGS } from './argv/shared-flags.ts';
import type { Command } from './command.ts';
import { COMMANDS } from './commands.ts';
import { type Io, withOwn } from './io/io.ts';
import { readPins } from './session/pins.ts';
import { loadOptions } from './session/settings.ts';

/** More are of no help to a person. */
const MAX_OFFERED = 1000;

/**
 * Lines for `raw`, words as they are typed, the last of which goes on: a word, perhaps with a tab and what it is; `:file`,
 * which the shell knows best. None where the files are not in order.
 */
export async function complete(raw: readonly string[], io: Io): Promise<readonly string[]> {
  const words = plainWords(raw, io.env.HOME);
  const current = words.pop() ?? '';
  const line = await readLine(words);
  const [, option = '', typed = current] = /^(--[^=]+=)(.*)$/s.exec(current) ?? [];
  const offered = await offersFor(line, option, current, withOwn(io, { err: () => undefined })).catch(
    () => [],
  );
  return offered
    .map((word) => (word.startsWith(':') ? word : option + word))
    .filter((word) => word.startsWith(':') || word.startsWith(option + typed))
    .slice(0, MAX_OFFERED);
}

/**
 * The words as a command would get them: without quotes and backslashes, and with the home folder. bash takes
 * `--flag=value` for three words.
 */
function plainWords(raw: readonly string[], home = '~'): string[] {
  const words = raw.filter((word, at) => word !== '=' || at === raw.length - 1);
  return words.map((word) =>
    word
      .replace(/^=$/, '')
      .replaceAll(/[\\"']/g, '')
      .replace(/^~(?=\/)/, home),
  );
}

interface Line {
  readonly command?: Command | undefined;
  readonly flags: FlagTable;
  /** The values of flags so far. */
  readonly given: Readonly<Record<string, unknown>>;
  /** The flag whose value comes next. */
  readonly expected?: Flag | undefined;
  readonly hasArgument: boolean;
}

async function readLine(words: readonly string[]): Promise<Line> {
  const name = words.find((word) => !word.startsWith('-')) ?? '';
  const command = Object.hasOwn(COMMANDS, name) ? await COMMANDS[name]?.load() : undefined;
  if (command === undefined) return { flags: {}, given: {}, hasArgument: false };
  const flags: FlagTable = { ...flagsIn(command.flags), help: HELP };
  const [, last = ''] = /^--?([^=]+)$/.exec(words.at(-1) ?? '') ?? [];
  const expected = Object.entries(flags).find(
    ([long, flag]) => takesValue(flag) && (last === long || last === flag.alias),
  )?.[1];
  const complete = expected === undefined ? words : words.slice(0, -1);
  const { _, ...given } = parseWords(complete, flags).argv;
  return { command, flags, given, expected, hasArgument: _.length > 1 };
}

const HELP: Flag = { type: 'boolean', alias: 'h', describe: 'Show help' };

function takesValue({ type }: Flag): boolean {
  return type !== 'boolean' && type !== 'switch';
}

/** `option` is `--flag=` where the current word begins so. */
async function offersFor(line: Line, option: string, current: string, io: Io): Promise<readonly string[]> {
  const { command, flags, given, hasArgument } = line;
  if (command === undefined)
    return Object.entries(COMMANDS).map(([name, { describe }]) => `${name}\t${describe}`);
  const flag = line.expected ?? flags[option.slice(2, -1)];
  if (flag !== undefined) return flag.choices ?? (await ask(flag.completes, given, io));
  if (current.startsWith('-'))
    return Object.entries(flags).map(([name, { describe }]) => `--${name}\t${describe}`);
  if (command.words !== undefined) return hasArgument ? [] : command.words;
  return ask(command.completes, given, io);
}

/** What the files and runs hold of it; of domains and groups those of all targets, since none need be chosen yet. */
async function ask(what: Flag['completes'], given: Line['given'], io: Io): Promise<readonly string[]> {
  if (what === 'plan-report') return [...Object.keys(PLAN_FORMATS).map((format) => `${format}=`), ':file'];
  if (what === 'result-report')
    return [...Object.keys(RESULT_FORMATS).map((format) => `${format}=`), ':file'];
  if (what === undefined || what === 'file') return what === undefined ? [] : [':file'];
  const flags = whereOf(given, io);
  if (what === 'target') return loadTargetNames(loadOptions(flags, io));
  if (what === 'run') {
    const { root } = await readPins(flags, io, true);
    return (await runIds(runsFolder(root))).toReversed();
  }
  const configs = await loadEach(loadOptions(flags, io));
  const names = configs.flatMap(({ groups, desired }) =>
    what === 'group' ? [...groups.keys()] : desired.websites.map(({ domain }) => domain),
  );
  return [...new Set(names)];
}

/** Where files and runs are. Standard input is not read. */
function whereOf(given: Line['given'], io: Io): FlagValues<typeof FILE_FLAGS> {
  const flags = readFlags(FILE_FLAGS, given, io.env, io.err);
  return { ...flags, file: flags.file?.filter((file) => !isStream(file)) };
}
