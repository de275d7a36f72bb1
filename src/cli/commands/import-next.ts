/** The next step after an import: the address of the service, and the command to run. */
import { resolve } from 'node:path';
import { findFileToAdd } from '../../config/files/files.ts';
import type { Config } from '../../config/load.ts';
import { LOCAL, parseBaseUrl } from '../../model/base-url.ts';
import type { ImportReport } from '../../model/import-report.ts';
import { shellWord } from '../../model/next-command.ts';
import { type Io, programOf } from '../io/io.ts';
import { askFor } from '../io/prompt.ts';

interface Given {
  readonly into: string;
  readonly file?: readonly string[] | undefined;
  readonly target?: string | undefined;
  readonly check?: boolean | undefined;
  readonly format?: string | undefined;
}

export interface Next {
  readonly service: { readonly base_url?: string };
  /** The next command; `isNew`: the file was created, with the address; `isThere`: it exists. */
  after(
    file: { readonly isNew: boolean; readonly isThere: boolean },
    isRefused: boolean,
  ): Promise<Pick<ImportReport, 'next' | 'unset'>>;
}

export async function openNext(
  given: Given,
  config: Pick<Config, 'pins'> | undefined,
  io: Io,
): Promise<Next> {
  const { check = false, format } = given;
  const isKnown = config?.pins.base_url !== undefined || Boolean(io.env.WEBSITES_BASE_URL);
  const base = isKnown || !io.canAsk || check || format === 'json' ? undefined : await askForService(io);
  return {
    service: base === undefined ? {} : { base_url: base },
    async after({ isNew, isThere }, isRefused) {
      if (!isThere || isRefused || check) return { next: null };
      const next = await planOf(given, isNew ? undefined : base, io);
      if (isKnown || base !== undefined) return { next };
      return { next, unset: `set service.base_url in ${given.into}, or WEBSITES_BASE_URL` };
    },
  };
}

async function askForService(io: Io): Promise<string | undefined> {
  const base = await askFor('Service URL, or "local" for the embedded service (Enter to skip)', io);
  return base === undefined || base === LOCAL ? base : parseBaseUrl(base);
}

async function planOf({ into, file = [], target }: Given, base: string | undefined, io: Io): Promise<string> {
  const isInto = (path: string | undefined): boolean =>
    path !== undefined && resolve(io.cwd, path) === resolve(io.cwd, into);
  const isFound =
    file.length === 0 ? isInto(await findFileToAdd(io.cwd)) : io.where.files === '' && file.some(isInto);
  const files = isFound ? [] : [into, ...file.filter((path) => !isInto(path))];
  const flags = [
    ...files.map((path) => `-f ${shellWord(path)}`),
    ...(target === undefined ? [] : [`--target ${target}`]),
    ...(base === undefined ? [] : [`--base-url ${shellWord(base)}`]),
  ];
  return `${[programOf(io.env), 'plan', ...flags].join(' ')}`;
}
