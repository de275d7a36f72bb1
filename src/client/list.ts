/** Lists, and looks up, with the parameters that this service takes. */
import { ServiceError } from '../model/service.ts';
import type { Learner } from './capabilities.ts';
import { type DecodedPage, decodePage, type ListQuery, listPath, listRows } from './contract.ts';
import type { ReadShown } from './decode-settings.ts';
import { listAll, type Walk, type WalkOptions } from './list-walk.ts';
import type { Call } from './operations.ts';
import { decode, type Exchange } from './request.ts';

type Ways = Pick<WalkOptions, 'shortIsWhole' | 'onPage' | 'mostPages'>;

interface Lister {
  /** Lists what `query` asks for; `toCall` makes the call for one page. Throws a ServiceError. */
  list(query: ListQuery, toCall: (path: string) => Call, ways?: Ways): Promise<Walk>;
  /** The first page of the same, and what lists on from there. */
  begin(query: ListQuery, toCall: (path: string) => Call, ways?: Ways): Promise<Begun>;
  readonly seen: Listed;
}

interface Begun {
  readonly first: DecodedPage;
  rest(): Promise<Walk>;
}

/** What lists have shown so far. */
export interface Listed {
  /** The member that holds the records; '' where the list is the whole answer. */
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
  learner: Learner,
  parallelism: number,
  readShown: ReadShown,
): Lister {
  const refused = new Set<string>();
  let envelope: string | undefined;
  let rows: readonly unknown[] = [];

  async function fetchPage(call: Call): Promise<DecodedPage> {
    const result = await exchange.carryOut(call);
    const page = decode(call, result, (json) => decodePage(json, readShown));
    if (rows.length === 0) ({ envelope, rows } = listRows(result.json));
    for (const shown of page.shown) learner.learn(shown, 'list');
    return { ...page, size: result.size };
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

  /** Does `work` with the parameters that are not refused; once more where some are. */
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

  const optionsOf = (toCall: (path: string) => Call, ways: Ways | undefined): WalkOptions => ({
    fetch: (path) => fetchPage(toCall(path)),
    parallelism,
    ...ways,
  });

  return {
    list(query, toCall, ways) {
      const options = optionsOf(toCall, ways);
      return withTaken(query, (path) => listAll(path, options));
    },
    begin(query, toCall, ways) {
      const options = optionsOf(toCall, ways);
      return withTaken(query, async (begunAt) => {
        let first: DecodedPage | undefined = await options.fetch(begunAt);
        const rest = (): Promise<Walk> =>
          withTaken(query, (path) => {
            const begun = path === begunAt ? first : undefined;
            first = undefined;
            return listAll(path, options, begun);
          });
        return { first, rest };
      });
    },
    get seen() {
      return { envelope, rows, refusedParameters: [...refused] };
    },
  };
}
