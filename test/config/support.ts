/** Loads files in a directory of their own, as a command would. */
import { type Config, type ConfigOptions, loadConfig } from '../../src/config/load.ts';
import type { Problem } from '../../src/model/errors.ts';
import { WebsitesError } from '../../src/model/errors.ts';
import { type Files, testFolder } from '../support/cli.ts';

export const noStdin: ConfigOptions['stdin'] = (async function* () {})();

export type Options = Partial<ConfigOptions>;

/** Loads files; a text alone is `websites.yaml`. Reads YAML files of the folder, or else those below it. */
export async function load(files: Files | string, options: Options = {}): Promise<Config> {
  const all = typeof files === 'string' ? { 'websites.yaml': files } : files;
  const yaml = Object.keys(all).filter((name) => /\.ya?ml$/.test(name));
  const here = yaml.filter((name) => !name.includes('/'));
  const patterns = here.length > 0 ? here : yaml;
  return loadConfig({ patterns, cwd: await testFolder(all), env: {}, stdin: noStdin, ...options });
}

/** The problems of files, warnings included, whether or not they can be loaded. */
export async function problemsOf(files: Files | string, options: Options = {}): Promise<readonly Problem[]> {
  try {
    return (await load(files, options)).warnings;
  } catch (error) {
    if (error instanceof WebsitesError && error.code === 'config-invalid') return error.problems;
    throw error;
  }
}

/** Problems as lines `file:line:column message`, without the name of a file that is the only one. */
export function lines(problems: readonly Problem[]): string[] {
  return problems.map(({ severity, message, place }) => {
    const file = place?.file === 'websites.yaml' ? '' : `${place?.file}:`;
    return `${file}${place?.line}:${place?.column} ${severity === 'warning' ? 'warning: ' : ''}${message}`;
  });
}

/** The domains and settings of a configuration, in an order that depends on nothing else. */
export function meaning(config: Config): unknown {
  const { desired, pins, prune } = config;
  const websites = desired.websites.map(({ source: _, ...website }) => website);
  return {
    websites: websites.toSorted((a, b) => (a.domain < b.domain ? -1 : 1)),
    ignore: desired.ignore.toSorted(),
    protected: desired.protected.toSorted(),
    pins,
    prune,
  };
}
