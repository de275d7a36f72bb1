/**
 * The service of a target: where it is, and its key, which nobody but it is sent
 * (decision: "The API key goes to one place").
 */
import { join } from 'node:path';
import { apiKeyFrom } from '../../model/api-key.ts';
import { WebsitesError } from '../../model/errors.ts';
import { formatSecretRef, type SecretRef } from '../../model/secret.ts';
import type { Environment } from '../../util/environment.ts';
import type { ServicePins } from '../schema/keys.ts';
import type { SecretResolver } from './resolve.ts';
import { variable } from './substitute.ts';

/** The service of a target. */
export interface NamedService {
  readonly name: string;
  /** Where its key comes from, to be shown; missing where nothing names one. */
  readonly keySource: string | undefined;
  /** Its own API key; no other goes to it. Throws `key-missing`, `secret-missing`, `usage`, `base-url-invalid`. */
  key(): Promise<string>;
}

/** What is pinned of the service that was chosen: what the files say of it, and what wins over them. */
export interface ChosenPins extends ServicePins {
  /** Missing where the files declare no targets. */
  readonly target?: NamedService;
}

/** `PREFIX_NAME`, in capitals. */
export function variableFor(prefix: 'WEBSITES_API_KEY' | 'WEBSITES_BASE_URL', target: string): string {
  return `${prefix}_${target.replaceAll('-', '_').toUpperCase()}`;
}

/** The address that the environment gives a target; it wins over the files. */
export function pinnedAddress(target: string, env: Environment): string | undefined {
  return variable(env, variableFor('WEBSITES_BASE_URL', target)) || undefined;
}

/** The folder that state lies in, of `target` if there is one, where that of all targets is `folder`. */
export function rootIn(folder: string, target: string | undefined): string {
  return target === undefined ? folder : join(folder, 'targets', target);
}

/** A target whose files name `apiKey`, or none. */
export function namedService(
  name: string,
  apiKey: SecretRef | undefined,
  env: Environment,
  secrets: SecretResolver,
): NamedService {
  const own = variableFor('WEBSITES_API_KEY', name);
  const isSet = Boolean(variable(env, own)?.trim());
  return {
    name,
    keySource: isSet ? own : apiKey && formatSecretRef(apiKey),
    async key() {
      refuseUnpinned(name, env);
      const value = apiKeyFrom(variable(env, own), own);
      if (value !== undefined) return value;
      const declared =
        apiKey && apiKeyFrom((await secrets.resolve(apiKey)).reveal(), formatSecretRef(apiKey));
      if (declared !== undefined) return declared;
      throw new WebsitesError('key-missing', `No API key is set for the target ${name}.`, {
        remedy: `Set ${own}, or give the target an api_key in the file; no other key is sent to it.`,
      });
    },
  };
}

/**
 * Who pins addresses does not trust those of the files: a target that the files add would otherwise be sent
 * whatever key or password they name.
 */
function refuseUnpinned(name: string, env: Environment): void {
  if (pinnedAddress(name, env) !== undefined) return;
  const pinned = Object.keys(env).find((key) => /^WEBSITES_BASE_URL_./.test(key) && variable(env, key));
  if (pinned === undefined) return;
  throw new WebsitesError(
    'base-url-invalid',
    `${variableFor('WEBSITES_BASE_URL', name)} is not set, and ${pinned} is.`,
    {
      remedy: 'If you set WEBSITES_BASE_URL_NAME for one target, set it for every target.',
    },
  );
}
