/** The list of records in a JSON text: the whole text, or the one list of domains in an object, as APIs answer. */
import { parseJson } from '../../util/json.ts';
import type { Range } from '../read/source.ts';
import { type Columns, isDomain } from './columns.ts';
import { endOf, membersOf, SPACE, skip } from './json-scan.ts';
import { faultAt, firstOf, type RowFault, SAMPLES } from './rows.ts';

interface List {
  readonly start: number;
  /** The names that lead to it, with dots between; `undefined` where it is the whole text. */
  readonly name: string | undefined;
}

/** So many objects are one in another above a list, at the most. */
const DEEPEST = 5;

/** Finds the list; where there are several, `columns` may name one. */
export function findList(text: string, columns: Columns): List | RowFault {
  const start = skip(text, 0, SPACE);
  if (text[start] !== '{') return { start, name: undefined };
  if (parseJson(text) === undefined)
    return faultAt(start, 'the file is not valid JSON', 'Check its quotes, commas and brackets.', 'format');
  const all = listsIn(text, start, []);
  const chosen = all.find(({ name }) => columns.choosesList(name));
  if (chosen !== undefined) return chosen;
  const [one, ...others] = all.filter((list) => holdsDomains(text, list, columns));
  if (one === undefined) {
    const remedy = 'Put the records between [ and ].';
    return faultAt(start, 'the file must be one list, or an object with one list of domains', remedy, 'list');
  }
  if (others.length === 0) return one;
  const names = [one, ...others].map(({ name }) => JSON.stringify(name));
  return faultAt(
    start,
    `the file has ${names.length} lists of domains: ${names.join(', ')}`,
    undefined,
    'list',
  );
}

/** The lists in the object at `start`, of which none is in another. */
function listsIn(text: string, start: number, path: readonly string[]): (List & { name: string })[] {
  return membersOf(text, start).flatMap(({ name, start: value }) => {
    const names = [...path, name];
    if (text[value] === '[') return [{ start: value, name: names.join('.') }];
    return text[value] === '{' && names.length < DEEPEST ? listsIn(text, value, names) : [];
  });
}

/** Whether some of its first elements are domains, or records with one. */
function holdsDomains(text: string, { start }: List, columns: Columns): boolean {
  for (const element of firstOf(elementsOf(text, start), SAMPLES)) {
    const value = 'fault' in element ? undefined : parseJson(text.slice(element.start, element.end));
    if (isDomain(value)) return true;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    const cells: readonly unknown[] = Object.values(value);
    if (columns.domainsIn(Object.keys(value), (index) => [cells[index]]) !== undefined) return true;
  }
  return false;
}

/** The elements of the list at `start`, or what is wrong there. */
export function* elementsOf(text: string, start: number): Generator<Range | RowFault> {
  let at = start;
  if (text[at] !== '[') {
    yield faultAt(at, 'the file must be one list', 'Put the records between [ and ].', 'format');
    return;
  }
  let separator: string | undefined = '[';
  do {
    at = skip(text, at + 1, SPACE);
    const end = endOf(text, at);
    if (end > at) yield { start: at, end };
    else if (separator === ',' || text[at] === ',') break;
    at = skip(text, end, SPACE);
    separator = text[at];
  } while (separator === ',');
  // Of an object with a list in it all is known to be JSON.
  const isWhole = text[skip(text, 0, SPACE)] === '[';
  if (separator === ']' && (!isWhole || skip(text, at + 1, SPACE) === text.length)) return;
  yield faultAt(at, 'the list is broken here', 'Check the quotes, commas and brackets around it.', 'format');
}
