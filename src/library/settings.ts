/** Settings of the functions: options of the command line in camel case, checked by the same table. */
import { type Flags, type Option, optionsOf, TYPES } from '../cli/options.ts';
import { WebsitesError } from '../model/errors.ts';
import type { RunEvent } from '../model/run.ts';
import { nearest } from '../util/did-you-mean.ts';
import { isObject } from '../util/json.ts';

const SERVICE = ['base-url', 'parallelism', 'timeout', 'request-timeout', 'max-wait'] as const;
const SELECTION = ['prune', 'since', 'domain', 'exclude', 'group', 'resend-passwords'] as const;
const NAMES = {
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

/** Flags of the files, `cwd` and `env`, which default to those of the process. */
export interface LoadOptions extends SettingsOf<'load', Flags<'plan'>> {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** Flags of `websites plan`, such as `allowDeletes`. Times are in seconds. `apiKey` overrides that of the environment. */
export type PlanSettings = SettingsOf<'plan', Flags<'plan'>> & { readonly apiKey?: string | undefined };

/** Flags of `websites apply`. Once `signal` is aborted, nothing new is sent, and requests in flight are finished. */
export interface ApplySettings extends SettingsOf<'apply', Flags<'apply'>> {
  readonly apiKey?: string | undefined;
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Test = (value: unknown) => boolean;
const isText: Test = (value) => typeof value === 'string';
const isYesNo: Test = (value) => typeof value === 'boolean';

const KINDS: Readonly<Record<string, readonly [expected: string, test: Test]>> = {
  boolean: ['true or false', isYesNo],
  switch: ['true, false or "removed"', (value) => isYesNo(value) || value === 'removed'],
  list: ['a list of strings', (value) => Array.isArray(value) && value.every(isText)],
  string: ['a string', isText],
  number: ['a whole number', Number.isSafeInteger],
  seconds: ['a number of seconds', Number.isFinite],
  env: [
    'an object of strings',
    (value) => isObject(value) && Object.values(value).every((one) => one === undefined || isText(one)),
  ],
  onEvent: ['a function', (value) => typeof value === 'function'],
  signal: ['an AbortSignal', (value) => value instanceof AbortSignal],
};

/** Settings that are not options of the command line. */
const OTHERS = { load: ['cwd', 'env'], plan: ['apiKey'], apply: ['apiKey', 'onEvent', 'signal'] };
const OPTIONS = { ...optionsOf('plan'), ...optionsOf('apply') };

/**
 * Returns the options among the settings, of the right types: `prune: 'false'` must not count as true. Throws
 * `usage`, never with a value, which may be a key.
 */
export function flagsOf(name: keyof typeof NAMES, settings: unknown): Flags<'plan'> & Flags<'apply'> {
  const where = name === 'load' ? 'options' : 'settings';
  if (!isObject(settings)) throw new WebsitesError('usage', `${where} must be an object.`);
  const known = new Map(NAMES[name].map((one) => [camelCase(one), OPTIONS[one]]));
  const all = [...known.keys(), ...OTHERS[name]];
  const flags: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(settings)) {
    if (!all.includes(key)) {
      const near = nearest(key, all);
      const remedy = near && `Did you mean ${where}.${near}?`;
      throw new WebsitesError('usage', `Unknown option: ${where}.${key}.`, { remedy });
    }
    const option = known.get(key);
    const fault = value === undefined ? undefined : faultOf(option, key, value);
    if (fault !== undefined) throw new WebsitesError('usage', `${where}.${key} must be ${fault}.`);
    if (option !== undefined) flags[option.name] = value;
  }
  return flags as Flags<'plan'> & Flags<'apply'>;
}

function faultOf(option: Option | undefined, key: string, value: unknown): string | undefined {
  const [expected, test] = KINDS[option === undefined ? key : TYPES[option.type].reads] ?? [
    'a string',
    isText,
  ];
  const { least = 0, most } = option ?? {};
  if (test(value) && !(Number(value) < least || Number(value) > (most ?? Infinity))) return undefined;
  return most === undefined ? expected : `${expected} from ${least} to ${most}`;
}

function camelCase(name: string): string {
  return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
