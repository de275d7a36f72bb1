/** The records that the files declare, in their order, and where each is written. */
import type { DesiredWebsite } from '../../model/website.ts';
import type { Path } from './source.ts';
import { isMap, type Mapping, type Scope } from './validate.ts';

/** A list of records: of a file or a group, or all rows of a bulk file. */
export interface RecordList {
  readonly scope: Scope;
  readonly path: Path;
  /** Nothing of a bulk file. */
  readonly raw: readonly unknown[] | undefined;
  /** Of a bulk file: the row with an offset, as a map. */
  readonly rowAt?: (start: number) => Mapping | undefined;
}

export interface Origin {
  readonly scope: Scope;
  /** To the record. */
  readonly path: Path;
  /** What is written there; nothing of a row. */
  readonly raw: unknown;
  /** The same, for a row too, which is read once more. */
  readonly written: () => unknown;
  /** It is a row of a bulk file. */
  readonly isRow: boolean;
}

export interface Declarations {
  readonly websites: readonly DesiredWebsite[];
  /** `at` is its index in the list, or in a bulk file where its row starts. */
  add(website: DesiredWebsite, list: RecordList, at: number): void;
  /** Where the record with an index is written. */
  originOf(index: number): Origin;
}

export function createDeclarations(): Declarations {
  const websites: DesiredWebsite[] = [];
  const lists: RecordList[] = [];
  const places: number[] = [];
  return {
    websites,
    add(website, list, at) {
      websites.push(website);
      lists.push(list);
      places.push(at);
    },
    originOf(index) {
      const [list, at] = [lists[index], places[index]];
      if (list === undefined || at === undefined) throw new Error(`There is no record ${index}.`);
      const raw = list.raw?.[at];
      const { scope, path, rowAt } = list;
      return {
        scope,
        path: [...path, at],
        raw,
        written: () => raw ?? rowAt?.(at),
        isRow: rowAt !== undefined,
      };
    },
  };
}

/** The way to the domain of a record. */
export function domainPath({ path, raw }: Origin): Path {
  return isMap(raw) ? [...path, 'domain'] : path;
}
