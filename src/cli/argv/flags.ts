/**
 * Flags: declared once a command, read from the command line and, where they may be, from a variable
 * WEBSITES_… of the same name. Values are checked here, so that no command sees a NaN or a list where
 * one value belongs.
 */

import { WebsitesError } from '../../model/errors.ts';
import { nearest } from '../../util/did-you-mean.ts';
import type { Environment } from '../../util/environment.ts';
import { switchOf } from '../../util/yes-or-no.ts';

export interface Flag {
  readonly type: 'boolean' | 'switch' | 'string' | 'number' | 'seconds' | 'list';
  /** Of a switch, which is given as --flag, --no-flag or --flag=CHOICE, the words it takes beside a yes or no. */
  readonly words?: readonly string[];
  readonly describe: string;
  readonly alias?: string;
  /** What stands for its value in the help, where its type does not tell: FILE, URL. */
  readonly value?: string;
  readonly choices?: readonly string[];
  /** What a shell offers for its value. */
  readonly completes?: 'file' | 'domain' | 'group' | 'target' | 'run' | 'plan-report' | 'result-report';
  /** Of a file that is written: - is none, as it would be read from standard input afterwards. */
  readonly writes?: true;
  /** The least that a number, or a time in seconds, may be; 0 where nothing is said. */
  readonly least?: number;
  /** The most that a number, or a time in seconds, may be. */
  readonly most?: number;
  /** Shown in help; the command itself fills it in. */
  readonly default?: string;
  /** Approvals have no environment variable (decision: "A guard blocks the whole apply"). */
  readonly approval?: true;
  /** It is set by its environment variable alone, and is no flag of the command line. */
  readonly isVariable?: true;
}

export type FlagTable = Readonly<Record<string, Flag>>;

/** What flags that are no text are read as. */
interface Values {
  readonly boolean: boolean;
  readonly number: number;
  readonly seconds: number;
  readonly list: readonly string[];
}

/** Of a switch, a yes or no, or one of its words. */
type SwitchValue<F extends Flag> =
  | boolean
  | (F extends { readonly words: readonly (infer Word)[] } ? Word : never);

/** A flag's value, of its choices where it has such. */
type FlagValue<F extends Flag> = F['type'] extends 'switch'
  ? SwitchValue<F>
  : F['type'] extends keyof Values
    ? Values[F['type']]
    : F extends { readonly choices: readonly (infer Choice)[] }
      ? Choice
      : string;

/** `undefined` for a flag that neither command line nor environment has. */
export type FlagValues<T extends FlagTable> = { readonly [Name in keyof T]: FlagValue<T[Name]> | undefined };

export function usageError(message: string, remedy?: string): WebsitesError {
  return new WebsitesError('usage', message, { remedy: remedy ?? 'See "websites --help".' });
}

/** That `where`, a flag or a variable, cannot be `text`. */
export function unfit(where: string, text: string, remedy: string): WebsitesError {
  return usageError(`Invalid value ${JSON.stringify(text)} for ${where}.`, remedy);
}

/** "Did you mean …? " with the nearest of `known` to a mistyped word; '' where none is near, or it is one. */
export function didYouMean(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === undefined || near === word ? '' : `Did you mean ${near}? `;
}

/** What stands for the value of a flag in the help; `undefined` for one without a value. */
export function placeholderOf({ type, value, completes, choices }: Flag): string | undefined {
  if (type === 'boolean' || type === 'switch') return undefined;
  if (value !== undefined) return value;
  if (completes !== undefined)
    return {
      file: 'FILE',
      domain: 'PATTERN',
      target: 'NAME',
      group: 'NAME',
      run: 'RUN',
      'plan-report': '[FORMAT=]FILE',
      'result-report': '[FORMAT=]FILE',
    }[completes];
  if (choices !== undefined) return 'FORMAT';
  return { string: 'TEXT', number: 'N', seconds: 'DURATION', list: 'TEXT' }[type];
}

/** The variable of a flag: `--api-key-file` is WEBSITES_API_KEY_FILE. */
export function variableOf(name: string): string {
  return `WEBSITES_${name.replaceAll('-', '_').toUpperCase()}`;
}

/** The flags of a command line. */
export function flagsIn(table: FlagTable): FlagTable {
  return Object.fromEntries(Object.entries(table).filter(([, { isVariable }]) => !isVariable));
}

/** What Kubernetes sets NAME_PORT to, in each pod beside a service called so: nobody meant a port by it. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\/[\d.:a-f[\]]+$/i;

/**
 * Checked values of all flags in `table`. `given` is what the command line holds: texts, booleans, or
 * several of them where a flag was repeated. `tell` takes a line for a variable that is ignored. Throws `usage`.
 */
export function readFlags<T extends FlagTable>(
  table: T,
  given: Readonly<Record<string, unknown>>,
  env: Environment,
  tell: (text: string) => void,
): FlagValues<T> {
  const entries = Object.entries(table).map(([name, flag]) => {
    const raw = given[name];
    if (raw !== undefined) return [name, fromCommandLine(name, flag, raw)];
    const variable = variableOf(name);
    const text = flag.approval ? undefined : env[variable];
    if (text === undefined || text === '') return [name, undefined];
    const isLink = variable.endsWith('_PORT') && SERVICE_LINK.test(text);
    if (!isLink) return [name, fromVariable(name, flag, text)];
    tell(
      `Ignored ${variable}=${text}: Kubernetes sets it for a service of that name. To prevent this, set enableServiceLinks: false in the pod.\n`,
    );
    return [name, undefined];
  });
  return Object.fromEntries(entries) as FlagValues<T>;
}

function fromCommandLine(name: string, flag: Flag, raw: unknown): unknown {
  const values = [raw].flat();
  if (flag.type === 'list') return values.map((value) => checkText(`--${name}`, flag, String(value)));
  if (values.length > 1) throw usageError(`--${name} is given ${values.length} times.`, 'Give it once.');
  const [value] = values;
  return flag.type === 'boolean' ? Boolean(value) : convert(`--${name}`, flag, String(value));
}

function fromVariable(name: string, flag: Flag, text: string): unknown {
  const variable = variableOf(name);
  if (flag.type === 'list') return listOf(variable, text).map((item) => checkText(variable, flag, item));
  return flag.type === 'boolean' ? readSwitch(variable, text) : convert(variable, flag, text);
}

/** Throws `usage` where there is nothing between the commas: a selection that is empty by mistake would select all. */
function listOf(variable: string, text: string): string[] {
  const items = text.split(/[ \t\r\n,]+/).filter(Boolean);
  if (items.length > 0) return items;
  throw unfit(variable, text, 'Give it a value, or omit it.');
}

/** What a word says of a boolean flag. Throws `usage`. */
export function readSwitch(where: string, text: string): boolean {
  const value = switchOf(text);
  if (value !== undefined) return value;
  throw unfit(where, text, 'Write true or false.');
}

function convert(where: string, flag: Flag, text: string): string | number | boolean {
  if (flag.type === 'switch') return switchValue(where, flag, text);
  if (flag.type === 'seconds') return seconds(where, flag, text);
  if (flag.type !== 'number') return checkText(where, flag, text);
  const { least = 0, most } = flag;
  if (!/^\d{1,9}$/.test(text) || Number(text) < least || Number(text) > (most ?? Number.POSITIVE_INFINITY)) {
    const range = most === undefined ? `${least} up` : `${least} to ${most}`;
    throw unfit(where, text, `Write a whole number from ${range}.`);
  }
  return Number(text);
}

function switchValue(where: string, { words = [] }: Flag, text: string): string | boolean {
  const value = words.includes(text) ? text : switchOf(text);
  if (value !== undefined) return value;
  throw unfit(where, text, `Write true, false or ${words.join(' or ')}.`);
}

const UNITS = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

/** `30`, `500ms`, `30s`, `5m`, `1h` or `1d`, in seconds. */
function seconds(where: string, { least = 0, most = Number.POSITIVE_INFINITY }: Flag, text: string): number {
  const [, count, unit] = /^(\d{1,7}(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text) ?? [];
  if (count === undefined) throw unfit(where, text, 'Write seconds, or 500ms, 30s, 5m, 1h, 1d.');
  const time = Number(count) * UNITS[(unit ?? 's') as keyof typeof UNITS];
  if (time < least) throw unfit(where, text, `Write ${least * 1000}ms or more.`);
  if (time > most) throw unfit(where, text, `Write ${most / 60}m or less.`);
  return time;
}

function checkText(where: string, flag: Flag, text: string): string {
  if (text === '') throw usageError(`${where} is empty.`, 'Give it a value, or omit it.');
  if (flag.writes && text === '-')
    throw usageError(`${where} is -.`, 'Name a file. For a file called "-", write ./-.');
  if (flag.choices !== undefined && !flag.choices.includes(text)) {
    throw unfit(where, text, `${didYouMean(text, flag.choices)}Use one of ${flag.choices.join(', ')}.`);
  }
  return text;
}
