/** What the values that a program holds were made of. */
import type { ServiceSettings } from '../config/keys.ts';
import type { Config } from '../config/load.ts';
import type { ConnectSettings } from '../sync/connect.ts';
import type { Host } from '../sync/host.ts';
import { readKey } from '../sync/key.ts';
import type { Configuration } from './configuration.ts';
import type { ServiceOptions } from './settings.ts';

interface Source {
  readonly config: Config;
  readonly host: Host;
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

/** What connecting takes, from what a program says and what the files hold. */
export function connectSettings(
  { baseUrl, apiKey, parallelism, timeoutMs, requestTimeoutMs }: ServiceOptions,
  pins: ServiceSettings,
  root: string,
  host: Host,
): ConnectSettings {
  return {
    pins: baseUrl === undefined ? pins : { ...pins, base_url: baseUrl },
    root,
    key: async () => apiKey ?? readKey(undefined, host, pins.target),
    parallelism,
    timeoutMs,
    requestTimeoutMs,
    env: host.env,
  };
}
