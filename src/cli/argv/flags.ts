/**
 * Reads option values from the command line, from environment variables WEBSITES_…, or from a program, and checks
 * their types.
 */

import { WebsitesError } from '../../model/errors.ts';
import { nearest, suggestion } from '../../util/did-you-mean.ts';
import type { Environment } from '../../util/environment.ts';
import { isObject } from '../../util/json.ts';
import { switchOf } from '../../util/yes-or-no.ts';
import {
  type AnyFlags,
  type Flags,
  isApproval,
  type Option,
  type Options,
  optionsOf,
  TYPES,
  variableOf,
} from '../options.ts';

export function usageError(message: string, remedy?: string): WebsitesError {
  return new WebsitesError('usage', message, { remedy: remedy ?? 'See "websites --help".' });
}

export function unfit(where: string, text: string, remedy: string): WebsitesError {
  return usageError(`Invalid value ${JSON.stringify(text)} for ${where}.`, remedy.trim());
}

/** Matches the value, never a port, that Kubernetes gives WEBSITES_PORT if a service is named `websites`. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):/;

export type Given = Readonly<Record<string, readonly string[]>>;

/** Throws `usage`. */
export function readFlags(options: Options, given: Given, env: Environment) {
  const values: Record<string, unknown> = {};
  for (const option of options) {
    const { key, name } = option;
    const variable = variableOf(name);
    const { [variable]: text = '' } = env;
    values[key] = undefined;
    if (given[key] !== undefined) values[key] = valueIn(`--${name}`, option, given[key]);
    else if (text !== '' && !isApproval(option) && !(key === 'port' && SERVICE_LINK.test(text)))
      values[key] = valueIn(variable, option, isList(option) ? itemsOf(variable, text) : [text]);
  }
  return values;
}

const isList = ({ type }: Option): boolean => TYPES[type].reads === 'list';

function itemsOf(variable: string, text: string): readonly string[] {
  const items = text.split(/[ \t\r\n,]+/).filter(Boolean);
  // An empty selection would select everything, and is probably a mistake.
  if (items.length === 0) throw unfit(variable, text, 'Give it a value, or omit it.');
  return items;
}

function valueIn(where: string, option: Option, texts: readonly string[]): unknown {
  const { type, choices = [] } = option;
  const { reads } = TYPES[type];
  if (texts.includes('') && (reads === 'string' || reads === 'list'))
    throw usageError(`${where} is empty.`, 'Give it a value, or omit it.');
  if (reads === 'list') return texts;
  if (texts.length > 1 && type !== 'yes')
    throw usageError(`${where} is given ${texts.length} times.`, 'Give it once.');
  const text = texts.at(-1) ?? '';
  if (type === 'output' && text === '-')
    throw usageError(`${where} cannot be "-".`, 'Name a file. For a file called "-", write ./-.');
  const value = read(reads, text) ?? text;
  const fault = faultOf(option, value);
  if (fault === undefined) return value;
  const also = reads === 'seconds' ? ', or a time such as 500ms, 30s, 5m, 1h, 1d' : '';
  throw unfit(where, text, `${suggestion(text, choices, '')} Write ${fault}${also}.`);
}

const UNITS = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

function read(reads: Reads, text: string): unknown {
  if (reads === 'boolean') return switchOf(text);
  if (reads === 'number' && /^\d{1,9}$/.test(text)) return Number(text);
  const [, count, unit = 's'] = /^(\d{1,7}(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text) ?? [];
  if (reads === 'seconds' && count !== undefined) return Number(count) * UNITS[unit as keyof typeof UNITS];
}

type Reads = (typeof TYPES)[keyof typeof TYPES]['reads'];

const isText = (value: unknown): boolean => typeof value === 'string';

/** Returns the accepted values in words if `value` is not accepted; otherwise `undefined`. */
function faultOf({ type, word, choices, min = 0, max }: Option, value: unknown): string | undefined {
  const range = `from ${min} ${max === undefined ? 'up' : `to ${max}`}`;
  const isInRange = typeof value === 'number' && value >= min && value <= (max ?? Number.MAX_VALUE);
  const checks: Readonly<Record<Reads, readonly [fits: boolean, expected: string]>> = {
    boolean: [
      typeof value === 'boolean' || (word !== undefined && value === word),
      word === undefined ? 'true or false' : `true, false or ${word}`,
    ],
    number: [isInRange && Number.isSafeInteger(value), `a whole number ${range}`],
    seconds: [isInRange, `a number of seconds ${range}`],
    list: [Array.isArray(value) && value.every(isText), 'a list of strings'],
    string: choices
      ? [choices.some((choice) => choice === value), `one of ${choices.join(', ')}`]
      : [isText(value), 'a string'],
    environment: [
      isObject(value) && Object.values(value).every((one) => one === undefined || isText(one)),
      'an object of strings',
    ],
    listener: [typeof value === 'function', 'a function'],
    signal: [value instanceof AbortSignal, 'an AbortSignal'],
  };
  const [fits, expected] = checks[TYPES[type].reads];
  return fits ? undefined : expected;
}

export type SettingsOf<Call extends string> = Partial<Flags<Call>>;

/**
 * Returns the settings that are options, with checked types: `prune: 'false'` must not count as true. Throws `usage`.
 * The error contains no value, because a value may be a key.
 */
export function readOptions(call: string, settings: unknown): AnyFlags {
  if (!isObject(settings)) throw refused(`The settings of ${call} must be an object.`);
  const options = optionsOf(call);
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  for (const [key, value] of given) {
    const option = options.find((one) => one.key === key);
    if (option === undefined) {
      const near = nearest(
        key,
        options.map((one) => one.key),
      );
      throw refused(`Unknown option: settings.${key}.`, near && `Did you mean settings.${near}?`);
    }
    const fault = faultOf(option, value);
    if (fault !== undefined) throw refused(`settings.${key} must be ${fault}.`);
  }
  return Object.fromEntries(given);
}

function refused(message: string, remedy?: string): WebsitesError {
  return new WebsitesError('usage', message, { remedy });
}
