import { WEBSITES_PATH } from '../model/contract.ts';
import { ServiceError } from '../model/service.ts';
import type { Learner } from './capabilities.ts';
import { type DecodedPage, decodePage } from './decode.ts';
import { listAll, type Walk, type WalkOptions } from './list-walk.ts';
import type { Exchange } from './request.ts';

interface Ways extends Omit<WalkOptions, 'fetch'> {
  readonly subject?: string;
}

/** The first page of a list, and its path: what comes after it has the same parameters. */
export type Begun = { readonly path: string; readonly page: DecodedPage };

/** Parameters that help, but that a service may refuse. */
const OPTIONAL = ['per_page', 'sort_by', 'sort', 'search_by'];

export function createLister(exchange: Exchange, { shown }: Learner) {
  const refused = new Set<string>();
  let envelope: string | undefined;

  function fetchPage(path: string, subject?: string): Promise<DecodedPage> {
    const operation = subject === undefined ? 'list' : 'find';
    return exchange.carryOut({ operation, subject, path }, ({ json, size }) => {
      const page = decodePage(json, shown.list);
      envelope ??= page.envelope;
      return { ...page, size };
    });
  }

  /** Reads the first page, and again without the parameters that the service refuses. */
  async function begin(query: Readonly<Record<string, string>>, subject?: string): Promise<Begun> {
    const taken = new URLSearchParams(Object.entries(query).filter(([name]) => !refused.has(name)));
    const path = `${WEBSITES_PATH}?${taken}`;
    try {
      return { path, page: await fetchPage(path, subject) };
    } catch (error) {
      const { status, fields = {} } = error instanceof ServiceError ? error : {};
      const words = Object.keys(fields);
      const isRefused = (name: string): boolean => words.length === 0 || words.includes(name);
      const names = OPTIONAL.filter((name) => taken.has(name) && isRefused(name));
      if ((status !== 422 && status !== 400) || names.length === 0) throw error;
      for (const name of names) refused.add(name);
    }
    return begin(query, subject);
  }

  return {
    begin,
    list: ({ path, page }: Begun, { subject, ...ways }: Ways): Promise<Walk> =>
      listAll(path, { ...ways, fetch: (next) => fetchPage(next, subject) }, page),
    get seen() {
      return { envelope, refusedParameters: [...refused] };
    },
  };
}
