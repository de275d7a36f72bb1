/** Settings of the functions: options of the command line in camel case, checked by the same table. */
import { faultOf } from '../cli/argv/flags.ts';
import { type AnyFlags, type Flags, optionsOf } from '../cli/options.ts';
import { WebsitesError } from '../model/errors.ts';
import type { RunEvent } from '../model/run.ts';
import { nearest } from '../util/did-you-mean.ts';
import { isObject } from '../util/json.ts';

type CamelCase<Name> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;
type SettingsOf<Call extends string, Values = Flags<Call>> = {
  readonly [Name in keyof Values as CamelCase<Name>]?: Values[Name];
};

/** Flags of the files, `cwd` and `env`, which default to those of the process. */
export interface LoadOptions extends SettingsOf<'load()'> {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Flags of `websites plan`, such as `allowDeletes`. Times are in seconds. `apiKey` overrides that of the environment. */
export interface PlanSettings extends SettingsOf<'plan()'> {
  readonly apiKey?: string | undefined;
}

/** Flags of `websites apply`. Once `signal` is aborted, nothing new is sent, and requests in flight are finished. */
export interface ApplySettings extends SettingsOf<'apply()'> {
  readonly apiKey?: string | undefined;
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Checks of settings that are no options. Each returns the accepted values, if `value` is not one. */
const OTHERS: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  cwd: textFault,
  apiKey: textFault,
  env: (value) =>
    isObject(value) && Object.values(value).every((one) => one === undefined || !textFault(one))
      ? undefined
      : 'an object of strings',
  onEvent: (value) => (typeof value === 'function' ? undefined : 'a function'),
  signal: (value) => (value instanceof AbortSignal ? undefined : 'an AbortSignal'),
};

function textFault(value: unknown): string | undefined {
  return typeof value === 'string' ? undefined : 'a string';
}

/**
 * Returns the options among the settings, of the right types: `prune: 'false'` must not count as true. Throws
 * `usage`, never with a value, which may be a key.
 */
export function flagsOf(call: string, settings: unknown, others: readonly string[]): AnyFlags {
  if (!isObject(settings)) throw new WebsitesError('usage', `The settings of ${call} must be an object.`);
  const options = new Map(Object.values(optionsOf(call)).map((option) => [camelCase(option.name), option]));
  const known = [...options.keys(), ...others];
  const flags: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(settings)) {
    const option = options.get(key);
    if (!known.includes(key)) {
      const near = nearest(key, known);
      const remedy = near && `Did you mean settings.${near}?`;
      throw new WebsitesError('usage', `Unknown option: settings.${key}.`, { remedy });
    }
    const fault = option === undefined ? OTHERS[key]?.(value) : faultOf(option, value);
    if (value !== undefined && fault !== undefined)
      throw new WebsitesError('usage', `settings.${key} must be ${fault}.`);
    if (option !== undefined) flags[option.name] = value;
  }
  return flags;
}

function camelCase(name: string): string {
  return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
