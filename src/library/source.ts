/** What the values that a program holds were made of. */
import type { Config } from '../config/load.ts';
import { type ChosenPins, variableFor } from '../config/read/targets.ts';
import { variable } from '../config/secrets/substitute.ts';
import { apiKeyFrom } from '../model/api-key.ts';
import { WebsitesError } from '../model/errors.ts';
import { whereOf } from '../model/next-command.ts';
import type { Host } from '../sync/connect.ts';
import { type ConnectSettings, connectSettings } from '../sync/connect.ts';
import type { EarlierOptions } from '../sync/earlier.ts';
import type { Configuration } from './configuration.ts';
import type { ServiceOptions } from './settings.ts';

interface Source {
  readonly config: Config;
  readonly host: Host;
  /** What was named, for a command that goes on from any folder: absolute. */
  readonly named: { readonly file: readonly string[]; readonly 'allow-path': readonly string[] };
}

const sources = new WeakMap<Configuration, Source>();

export function remember(configuration: Configuration, source: Source): void {
  sources.set(configuration, source);
}

/** What a configuration was made of. Throws a TypeError for one that load did not return. */
export function sourceOf(configuration: Configuration): Source {
  const source = sources.get(configuration);
  if (source === undefined) throw new TypeError('This configuration was not returned by load().');
  return source;
}

/** How the files of a configuration are loaded, at whatever commit. */
export function loadOptionsOf({ config, host, named }: Source): EarlierOptions {
  const { file: patterns, 'allow-path': allowPaths } = named;
  return { ...host, patterns, allowPaths, target: config.pins.target?.name };
}

/**
 * What connecting takes, from what a program says, what its environment pins and what the files hold. Throws `usage`, and
 * `base-url-invalid` where nothing names a service.
 */
export function serviceSettings(
  { baseUrl, apiKey, parallelism, timeoutMs, requestTimeoutMs, maxWaitMs }: ServiceOptions,
  { config: { pins, root }, host, named }: Source,
): ConnectSettings {
  const base = baseUrl ?? pinnedAddress(pins, host);
  if (base === undefined && pins.base_url === undefined) {
    throw new WebsitesError('base-url-invalid', 'No service is configured.', {
      remedy:
        'Set settings.baseUrl, or set service.base_url in the file or WEBSITES_BASE_URL; "local" is the embedded service.',
    });
  }
  return connectSettings({ pins, root }, base, {
    key: () => keyOf(apiKey, host, pins),
    parallelism,
    timeoutMs,
    requestTimeoutMs,
    maxWaitMs,
    where: whereOf({ ...named, 'base-url': base }),
    env: host.env,
  });
}

async function keyOf(apiKey: string | undefined, host: Host, { target }: ChosenPins): Promise<string> {
  if (apiKey === undefined && target !== undefined) return target.key();
  const key =
    apiKey === undefined
      ? apiKeyFrom(host.env.WEBSITES_API_KEY, 'WEBSITES_API_KEY')
      : apiKeyFrom(apiKey, 'settings.apiKey');
  if (key !== undefined) return key;
  throw new WebsitesError('key-missing', 'No API key is set.', {
    remedy: 'Set settings.apiKey, or set WEBSITES_API_KEY in the environment that the files are loaded with.',
  });
}

/**
 * The address that the environment gives, as it gives one to every command: the files must not say where the key goes
 * then (decision: "The API key goes to one place"). A target has a variable of its own.
 */
function pinnedAddress({ base_url, target }: ChosenPins, { env }: Host): string | undefined {
  const pinned = variable(env, 'WEBSITES_BASE_URL') || undefined;
  if (pinned === undefined || target === undefined || pinned === base_url) return pinned;
  throw new WebsitesError('usage', 'WEBSITES_BASE_URL cannot be combined with targets.', {
    remedy: `Set ${variableFor('WEBSITES_BASE_URL', target.name)} instead, or configure the service URL in the file.`,
  });
}
