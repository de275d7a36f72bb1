/** The values of options, from the command line or a variable WEBSITES_… of the same name, all of the right type. */

import { WebsitesError } from '../../model/errors.ts';
import { nearest } from '../../util/did-you-mean.ts';
import type { Environment } from '../../util/environment.ts';
import { switchOf } from '../../util/yes-or-no.ts';
import { isApproval, type Option, type Options, TYPES, variableOf } from '../options.ts';

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

/** The value that Kubernetes gives NAME_PORT in each pod next to a service of that name: not meant as a port. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\/[\d.:a-f[\]]+$/i;

/**
 * `given` holds the values of the command line, lists for repeated flags. `warn` reports an ignored variable. Throws
 * `usage`.
 */
export function readFlags(
  options: Options,
  given: Readonly<Record<string, unknown>>,
  env: Environment,
  warn: (text: string) => void,
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const [name, option] of Object.entries(options)) {
    const variable = variableOf(name);
    const text = isApproval(option) ? undefined : env[variable];
    if (given[name] !== undefined) values[name] = fromCommandLine(option, given[name]);
    else if (!text) values[name] = undefined;
    else if (variable.endsWith('_PORT') && SERVICE_LINK.test(text)) {
      values[name] = undefined;
      warn(
        `Ignored ${variable}=${text}: Kubernetes sets it for a service of that name. To prevent this, set enableServiceLinks: false in the pod.\n`,
      );
    } else values[name] = fromVariable(variable, option, text);
  }
  return values;
}

function fromCommandLine(option: Option, raw: unknown): unknown {
  const flag = `--${option.name}`;
  const values = [raw].flat();
  const { reads } = TYPES[option.type];
  if (reads === 'list') return values.map((value) => checkText(flag, option, String(value)));
  if (values.length > 1 && option.type !== 'yes')
    throw usageError(`${flag} is given ${values.length} times.`, 'Give it once.');
  return convert(flag, option, String(values.at(-1)));
}

function fromVariable(variable: string, option: Option, text: string): unknown {
  if (TYPES[option.type].reads !== 'list') return convert(variable, option, text);
  const items = text.split(/[ \t\r\n,]+/).filter(Boolean);
  // A selection that is empty by mistake would select all.
  if (items.length === 0) throw unfit(variable, text, 'Give it a value, or omit it.');
  return items.map((item) => checkText(variable, option, item));
}

function readSwitch(where: string, text: string, words: readonly string[] = []): string | boolean {
  const value = words.includes(text) ? text : switchOf(text);
  if (value !== undefined) return value;
  const others = words.length === 0 ? ' or false' : `, false or ${words.join(' or ')}`;
  throw unfit(where, text, `Write true${others}.`);
}

function convert(where: string, option: Option, text: string): string | number | boolean {
  switch (TYPES[option.type].reads) {
    case 'boolean':
    case 'switch':
      return readSwitch(where, text, option.words);
    case 'seconds':
      return seconds(where, option, text);
    case 'number':
      return wholeNumber(where, option, text);
    default:
      return checkText(where, option, text);
  }
}

function wholeNumber(where: string, { least = 0, most }: Option, text: string): number {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least && Number(text) <= (most ?? Number.POSITIVE_INFINITY)) {
    return Number(text);
  }
  throw unfit(where, text, `Write a whole number from ${least} ${most === undefined ? 'up' : `to ${most}`}.`);
}

const UNITS = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

function seconds(
  where: string,
  { least = 0, most = Number.POSITIVE_INFINITY }: Option,
  text: string,
): number {
  const [, count, unit] = /^(\d{1,7}(?:\.\d+)?)(ms|s|m|h|d)?$/.exec(text) ?? [];
  if (count === undefined) throw unfit(where, text, 'Write seconds, or 500ms, 30s, 5m, 1h, 1d.');
  const time = Number(count) * UNITS[(unit ?? 's') as keyof typeof UNITS];
  if (time < least) throw unfit(where, text, `Write ${least * 1000}ms or more.`);
  if (time > most) throw unfit(where, text, `Write ${most / 60}m or less.`);
  return time;
}

function checkText(where: string, { type, choices }: Option, text: string): string {
  if (text === '') throw usageError(`${where} is empty.`, 'Give it a value, or omit it.');
  if (type === 'output' && text === '-')
    throw usageError(`${where} is -.`, 'Name a file. For a file called "-", write ./-.');
  if (choices !== undefined && !choices.includes(text)) {
    throw unfit(where, text, `${didYouMean(text, choices)}Use one of ${choices.join(', ')}.`);
  }
  return text;
}
