/** The records that the files declare, in their order, and where each is written. */
import type { DesiredWebsite } from '../../model/website.ts';
import type { Path } from './document.ts';
import { isMap, type Scope } from './validate.ts';

export interface Declarations {
  readonly websites: readonly DesiredWebsite[];
  /** `at` is its index under `websites`, or in a bulk file where its row starts. */
  add(website: DesiredWebsite, scope: Scope, at: number): void;
  /** Where the domain of the record with an index is written. */
  originOf(index: number): { readonly scope: Scope; readonly path: Path };
}

export function createDeclarations(): Declarations {
  const websites: DesiredWebsite[] = [];
  const scopes: Scope[] = [];
  const places: number[] = [];
  return {
    websites,
    add(website, scope, at) {
      websites.push(website);
      scopes.push(scope);
      places.push(at);
    },
    originOf(index) {
      const [scope, at] = [scopes[index], places[index]];
      if (scope === undefined || at === undefined) throw new Error(`There is no record ${index}.`);
      return { scope, path: domainPath(scope, at) };
    },
  };
}

function domainPath({ document: { value } }: Scope, at: number): Path {
  // That of a bulk file has no value.
  if (value === undefined) return [at];
  const websites = isMap(value) ? value.websites : undefined;
  return Array.isArray(websites) && isMap(websites[at]) ? ['websites', at, 'domain'] : ['websites', at];
}
