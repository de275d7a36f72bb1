/** What a program may ask for: options of the command line, by their names in camel case, checked by the same table. */
import { type Flags, type Option, optionsOf, TYPES } from '../cli/options.ts';
import { WebsitesError } from '../model/errors.ts';
import type { RunEvent } from '../model/run.ts';
import { nearest } from '../util/did-you-mean.ts';
import { isObject } from '../util/json.ts';

const SERVICE = ['base-url', 'parallelism', 'timeout', 'request-timeout', 'max-wait'] as const;
const SELECTION = ['prune', 'since', 'domain', 'exclude', 'group', 'resend-passwords'] as const;
/** The options of each function. */
export const NAMES = {
  load: ['file', 'target', 'allow-path'],
  plan: [...SERVICE, ...SELECTION, 'allow-empty', 'allow-deletes', 'allow-updates', 'max-age'],
  apply: [...SERVICE, 'max-failures', 'canary', 'skip-stale'],
} as const;

type CamelCase<Name> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;
type SettingsOf<Command extends keyof typeof NAMES, Values> = {
  readonly [Name in (typeof NAMES)[Command][number] & keyof Values as CamelCase<Name>]?: Values[Name];
};

/** Flags of the files, `cwd` and `env`: those of the process unless they are given. */
export interface LoadOptions extends SettingsOf<'load', Flags<'plan'>> {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** The API key overrides `WEBSITES_API_KEY` of the environment of `load`, and the key of the target. */
interface Key {
  readonly apiKey?: string | undefined;
}

/** Flags of `websites plan`, such as `allowDeletes`. Times are in seconds. */
export type PlanSettings = SettingsOf<'plan', Flags<'plan'>> & Key;

/** Flags of `websites apply`. Once `signal` is aborted, nothing new is sent, and requests in flight are finished. */
export interface ApplySettings extends SettingsOf<'apply', Flags<'apply'>>, Key {
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const OPTIONS = { ...optionsOf('plan'), ...optionsOf('apply') };

const EXPECTED = {
  boolean: 'true or false',
  switch: 'true, false or "removed"',
  list: 'a list of strings',
  string: 'a string',
  number: 'a whole number',
  seconds: 'a number of seconds',
};

type Test = (value: unknown) => boolean;

export const isText: Test = (value) => typeof value === 'string';

/**
 * The values of options that `settings` hold. What is not of its type must not pass for it: `others`, which are no options,
 * have a test each. Throws `usage`, never with the text of a value, which may be a key.
 */
export function flagsOf(
  where: string,
  settings: unknown,
  names: readonly string[],
  others: Readonly<Record<string, Test>>,
): Flags<'plan'> & Flags<'apply'> {
  if (!isObject(settings)) throw new WebsitesError('usage', `${where} must be an object.`);
  const known = new Map(names.map((name) => [camelCase(name), OPTIONS[name]]));
  const flags: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(settings)) {
    const option = known.get(key);
    const test: Test | undefined = option === undefined ? others[key] : (one) => isOf(option, one);
    if (test === undefined) throw noOption(where, key, [...known.keys(), ...Object.keys(others)]);
    if (value !== undefined && !test(value)) {
      const expected = option === undefined ? 'of its type' : expectedOf(option);
      throw new WebsitesError('usage', `${where}.${key} must be ${expected}.`);
    }
    if (option !== undefined) flags[option.name] = value;
  }
  return flags as Flags<'plan'> & Flags<'apply'>;
}

function noOption(where: string, key: string, known: readonly string[]): WebsitesError {
  const near = nearest(key, known);
  const remedy = near && `Did you mean ${where}.${near}?`;
  return new WebsitesError('usage', `Unknown option: ${where}.${key}.`, { remedy });
}

function camelCase(name: string): string {
  return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function expectedOf({ type, least, most }: Option): string {
  const { reads } = TYPES[type];
  const from = least === undefined ? '' : ` from ${least}`;
  return `${EXPECTED[reads]}${from}${most === undefined ? '' : ` to ${most}`}`;
}

function isOf(
  { type, words = [], least = 0, most = Number.POSITIVE_INFINITY }: Option,
  value: unknown,
): boolean {
  const { reads } = TYPES[type];
  if (reads === 'list') return Array.isArray(value) && value.every(isText);
  if (reads === 'string') return isText(value);
  if (reads === 'boolean' || reads === 'switch')
    return typeof value === 'boolean' || words.includes(String(value));
  const isNumber = reads === 'number' ? Number.isSafeInteger(value) : Number.isFinite(value);
  return isNumber && Number(value) >= least && Number(value) <= most;
}
