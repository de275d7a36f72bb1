/**
 * Reads option values from the command line, from environment variables WEBSITES_…, or from a program, and checks
 * their types.
 */

import { WebsitesError } from '../../model/errors.ts';
import { nearest } from '../../util/did-you-mean.ts';
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
  return usageError(`Invalid value ${JSON.stringify(text)} for ${where}.`, remedy);
}

export function didYouMean(word: string, known: readonly string[]): string {
  const near = nearest(word, known);
  return near === undefined || near === word ? '' : `Did you mean ${near}? `;
}

/** The value of NAME_PORT that Kubernetes sets in each pod if a service has that name. It is not meant as a port. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\/[\d.:a-f[\]]+$/i;

export type Given = Readonly<Record<string, readonly string[]>>;

/** Throws `usage`. Calls `warn` for an environment variable that it ignores. */
export function readFlags(options: Options, given: Given, env: Environment, warn: (text: string) => void) {
  const values: Record<string, unknown> = {};
  for (const option of options) {
    const { key } = option;
    const variable = variableOf(option.name);
    const text = isApproval(option) ? undefined : env[variable];
    values[key] = undefined;
    if (given[key] !== undefined) values[key] = fromCommandLine(option, given[key]);
    else if (text && key === 'port' && SERVICE_LINK.test(text)) {
      warn(
        `Ignored ${variable}=${text}: Kubernetes sets it for a service of that name. To prevent this, set enableServiceLinks: false in the pod.\n`,
      );
    } else if (text) values[key] = fromVariable(variable, option, text);
  }
  return values;
}

function fromCommandLine(option: Option, texts: readonly string[]): unknown {
  const flag = `--${option.name}`;
  if (TYPES[option.type].reads === 'list') return texts.map((text) => checked(flag, option, text));
  if (texts.length > 1 && option.type !== 'yes')
    throw usageError(`${flag} is given ${texts.length} times.`, 'Give it once.');
  return checked(flag, option, texts.at(-1) ?? '');
}

function fromVariable(variable: string, option: Option, text: string): unknown {
  if (TYPES[option.type].reads !== 'list') return checked(variable, option, text);
  const items = text.split(/[ \t\r\n,]+/).filter(Boolean);
  // An empty selection would select everything, and is probably a mistake.
  if (items.length === 0) throw unfit(variable, text, 'Give it a value, or omit it.');
  return items.map((item) => checked(variable, option, item));
}

function checked(where: string, option: Option, text: string): unknown {
  const { type, choices } = option;
  const { reads } = TYPES[type];
  if (text === '' && (reads === 'string' || reads === 'list'))
    throw usageError(`${where} is empty.`, 'Give it a value, or omit it.');
  if (type === 'output' && text === '-')
    throw usageError(`${where} is -.`, 'Name a file. For a file called "-", write ./-.');
  if (reads === 'list') return text;
  const value = KINDS[reads].read?.(text, option);
  const fault = faultOf(option, value);
  if (fault === undefined) return value;
  const also = reads === 'seconds' ? ', or a time such as 500ms, 30s, 5m, 1h, 1d' : '';
  throw unfit(where, text, choices ? `${didYouMean(text, choices)}Use ${fault}.` : `Write ${fault}${also}.`);
}

interface Kind {
  readonly expected: (option: Option) => string;
  readonly fits: (value: unknown, option: Option) => boolean;
  /** Returns the parsed value of a text; `undefined` if the text is not valid. */
  readonly read?: (text: string, option: Option) => unknown;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const rangeWords = ({ least = 0, most }: Option) =>
  `from ${least} ${most === undefined ? 'up' : `to ${most}`}`;
const isInRange = (value: unknown, { least = 0, most = Number.POSITIVE_INFINITY }: Option): boolean =>
  Number(value) >= least && Number(value) <= most;

const UNITS = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

const KINDS: Readonly<Record<(typeof TYPES)[keyof typeof TYPES]['reads'], Kind>> = {
  boolean: {
    expected: ({ word }) => (word === undefined ? 'true or false' : `true, false or ${word}`),
    fits: (value, { word }) => typeof value === 'boolean' || (value !== undefined && value === word),
    read: (text, { word }) => (text === word ? word : switchOf(text)),
  },
  number: {
    expected: (option) => `a whole number ${rangeWords(option)}`,
    fits: (value, option) => Number.isSafeInteger(value) && isInRange(value, option),
    read: (text) => (/^\d{1,9}$/.test(text) ? Number(text) : undefined),
  },
  seconds: {
    expected: (option) => `a number of seconds ${rangeWords(option)}`,
    fits: (value, option) => Number.isFinite(value) && isInRange(value, option),
    read(text) {
      const [, count, unit = 's'] = /^(\d{1,7}(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text) ?? [];
      return count === undefined ? undefined : Number(count) * UNITS[unit as keyof typeof UNITS];
    },
  },
  list: {
    expected: () => 'a list of strings',
    fits: (value) => Array.isArray(value) && value.every(isText),
  },
  string: {
    expected: ({ choices }) => (choices === undefined ? 'a string' : `one of ${choices.join(', ')}`),
    fits: (value, { choices }) => isText(value) && (choices?.some((choice) => choice === value) ?? true),
    read: (text) => text,
  },
  environment: onlyFrom(
    'an object of strings',
    (value) => isObject(value) && Object.values(value).every((one) => one === undefined || isText(one)),
  ),
  listener: onlyFrom('a function', (value) => typeof value === 'function'),
  signal: onlyFrom('an AbortSignal', (value) => value instanceof AbortSignal),
};

function onlyFrom(expected: string, fits: (value: unknown) => boolean): Kind {
  return { expected: () => expected, fits };
}

/** Returns the accepted values in words if `value` is not accepted; otherwise `undefined`. */
function faultOf(option: Option, value: unknown): string | undefined {
  const { expected, fits } = KINDS[TYPES[option.type].reads];
  return fits(value, option) ? undefined : expected(option);
}

export type SettingsOf<Call extends string> = Partial<Flags<Call>>;

/**
 * Returns the settings that are options, with checked types: `prune: 'false'` must not count as true. Throws `usage`.
 * The error contains no value, because a value may be a key.
 */
export function readSettings(call: string, settings: unknown): AnyFlags {
  if (!isObject(settings)) throw refused(`The settings of ${call} must be an object.`);
  const options = optionsOf(call);
  const given = Object.entries(settings).filter(([, value]) => value !== undefined);
  for (const [key, value] of given) {
    const option = options.find((one) => one.key === key);
    const near = nearest(
      key,
      options.map((one) => one.key),
    );
    if (option === undefined)
      throw refused(`Unknown option: settings.${key}.`, near && `Did you mean settings.${near}?`);
    const fault = faultOf(option, value);
    if (fault !== undefined) throw refused(`settings.${key} must be ${fault}.`);
  }
  return Object.fromEntries(given);
}

function refused(message: string, remedy?: string): WebsitesError {
  return new WebsitesError('usage', message, { remedy });
}
