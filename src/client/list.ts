import { WEBSITES_PATH } from '../model/contract.ts';
import { ServiceError } from '../model/service.ts';
import type { Learner } from './capabilities.ts';
import { type DecodedPage, decodePage } from './decode.ts';
import { listAll, type Walk, type WalkOptions } from './list-walk.ts';
import type { Exchange } from './request.ts';

type Query = Readonly<Record<string, string>>;

type Ways = Omit<WalkOptions, 'fetch'> & { readonly subject?: string };

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

  /** Runs `work` again without the parameters that the service refuses. */
  async function withTaken<T>(query: Query, work: (path: string) => Promise<T>): Promise<T> {
    const taken = new URLSearchParams(Object.entries(query).filter(([name]) => !refused.has(name)));
    try {
      return await work(`${WEBSITES_PATH}?${taken}`);
    } catch (error) {
      const { status, fields = {} } = error instanceof ServiceError ? error : {};
      const words = Object.keys(fields);
      const names = OPTIONAL.filter(
        (name) => taken.has(name) && (words.length === 0 || words.includes(name)),
      );
      if ((status !== 422 && status !== 400) || names.length === 0) throw error;
      for (const name of names) refused.add(name);
    }
    return withTaken(query, work);
  }

  return {
    begin: (query: Query): Promise<Begun> =>
      withTaken(query, async (path) => ({ path, page: await fetchPage(path) })),
    list: (query: Query, { subject, ...ways }: Ways, begun?: Begun): Promise<Walk> =>
      withTaken(query, (path) => {
        const first = path === begun?.path ? begun.page : undefined;
        return listAll(path, { ...ways, fetch: (page) => fetchPage(page, subject) }, first);
      }),
    get seen() {
      return { envelope, refusedParameters: [...refused] };
    },
  };
}
