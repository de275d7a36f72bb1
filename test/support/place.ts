/** A folder with files, a scripted service, and the built program between them. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runBuilt } from './built.ts';
import { type Files, startCli, testFolder } from './cli.ts';
import type { Fields } from './scripted/store.ts';
import { type ScriptedOptions, scripted } from './scripted-service.ts';

type Env = Readonly<Record<string, string>>;

interface More {
  /** The working directory, relative to the folder. */
  readonly at?: string;
  /** Added to the URL and the API key of the service. */
  readonly env?: Env;
  readonly input?: string;
}

export type Place = Awaited<ReturnType<typeof setPlace>>;

/** `files` is a text if there is only websites.yaml. Everything ends with the test. */
export async function setPlace(files: Files | string, options: ScriptedOptions = {}, more: Env = {}) {
  const folder = await testFolder(typeof files === 'string' ? { 'websites.yaml': files } : files);
  const service = await scripted(options);
  const env: Record<string, string> = { ...service.env, ...more };
  const optionsOf = ({ at = '.', env: own, input = '' }: More) => ({
    cwd: join(folder, at),
    env: { ...env, ...own },
    input,
  });
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  const recordOf = (domain: string) => service.records().find((record) => record.domain === domain);
  return {
    folder,
    service,
    env,
    /** Runs a command line, whose words have no spaces. */
    run: (line: string, own: More = {}) => runBuilt(line.split(' '), optionsOf(own)),
    /** Starts a command line in a process. */
    start: (line: string) => startCli(line.split(' '), { cwd: folder, env }),
    write,
    edit: async (name: string, from: string, to: string) =>
      write(name, (await readFile(join(folder, name), 'utf8')).replace(from, to)),
    recordOf,
    /** Changes a record, as another client would. */
    change: (domain: string, fields: Partial<Fields>) => service.change(recordOf(domain)?.id ?? 0, fields),
    remove: (domain: string) => service.remove(recordOf(domain)?.id ?? 0),
    domains: () => service.records().map(({ domain }) => domain),
    /** Writes on the service so far. */
    writes: () =>
      service.requests
        .filter(({ method }) => method !== 'GET')
        .map(({ method, path }) => `${method} ${path.replace('/api/v1', '')}`),
  };
}
