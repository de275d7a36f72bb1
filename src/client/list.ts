/** Pages of the list and of searches, with the parameters that this service takes. */
import { ServiceError } from '../model/service.ts';
import { type DecodedPage, decodePage, type ListQuery, listPath, listRows } from './contract.ts';
import type { ReadShown, Shown } from './decode-settings.ts';
import { listAll, type Walk, type WalkOptions } from './list-walk.ts';
import type { Call, Exchange } from './request.ts';

type Ways = Omit<WalkOptions, 'fetch'> & {
  /** About which domain it is, for messages; a list of all records without one. */
  readonly subject?: string;
};

interface Lister {
  /** Lists what `query` asks for. Throws a ServiceError. */
  list(query: ListQuery, ways: Ways): Promise<Walk>;
  /** The first page of the same, and what lists on from there. */
  begin(query: ListQuery, ways: Ways): Promise<Begun>;
  readonly seen: Listed;
}

interface Begun {
  readonly first: DecodedPage;
  rest(): Promise<Walk>;
}

/** What lists have shown so far. */
export interface Listed {
  /** The member that holds the records; '' if the list is the whole answer. */
  readonly envelope: string | undefined;
  /** The records of the first page that held some, as they came. */
  readonly rows: readonly unknown[];
  /** Parameters that this service refuses, so that they are left out. */
  readonly refusedParameters: readonly string[];
}

/** Parameters that help, and without which a list still is one. */
const OPTIONAL = ['per_page', 'sort_by', 'sort', 'search_by'] as const;

export function createLister(
  exchange: Exchange,
  readShown: ReadShown,
  learn: (shown: Shown) => void,
): Lister {
  const refused = new Set<string>();
  let envelope: string | undefined;
  let rows: readonly unknown[] = [];

  async function fetchPage(path: string, subject: string | undefined): Promise<DecodedPage> {
    const call: Call = {
      ...(subject === undefined ? { operation: 'list' } : { operation: 'find', subject }),
      method: 'GET',
      path,
    };
    return exchange.carryOut(call, ({ json, size }) => {
      const page = decodePage(json, readShown);
      if (rows.length === 0) ({ envelope, rows } = listRows(json));
      page.shown.forEach(learn);
      return { ...page, size };
    });
  }

  /** Notes which parameters of `sent` an answer refused; false when it was not about them. */
  function giveWay(error: unknown, sent: ListQuery): boolean {
    if (!(error instanceof ServiceError) || (error.status !== 422 && error.status !== 400)) return false;
    const words = Object.keys(error.fields);
    const given = OPTIONAL.filter((name) => sent[name] !== undefined);
    const named = words.length === 0 ? given : given.filter((name) => words.includes(name));
    for (const name of named) refused.add(name);
    return named.length > 0;
  }

  /** Does `work` with the parameters that are not refused; once more if some are. */
  async function withTaken<T>(query: ListQuery, work: (path: string) => Promise<T>): Promise<T> {
    for (;;) {
      const sent = Object.fromEntries(Object.entries(query).filter(([name]) => !refused.has(name)));
      try {
        return await work(listPath(sent));
      } catch (error) {
        if (!giveWay(error, sent)) throw error;
      }
    }
  }

  function listFrom(query: ListQuery, { subject, ...ways }: Ways, begun?: Begun & { at: string }) {
    return withTaken(query, (path) => {
      const first = path === begun?.at ? begun.first : undefined;
      return listAll(path, { ...ways, fetch: (page) => fetchPage(page, subject) }, first);
    });
  }

  return {
    list: listFrom,
    begin: (query, ways) =>
      withTaken(query, async (at) => {
        const first = await fetchPage(at, ways.subject);
        const begun = { at, first, rest: () => listFrom(query, ways, begun) };
        return begun;
      }),
    get seen() {
      return { envelope, rows, refusedParameters: [...refused] };
    },
  };
}
