/** What a reader makes of a file's text, whichever it is: plain values, and where each of them is written. */
import type { Hidden, Range, Source } from './source.ts';

/** The way to a value: keys of maps and indices of lists. */
export type Path = readonly (string | number)[];

/** Which side of a map's entry: its key, or its value. */
export type ConfigPart = 'key' | 'value';

export interface Document {
  readonly source: Source;
  /** Texts, numbers, booleans, null, arrays and objects. */
  readonly value: unknown;
  /**
   * Where the value at `path`, or its key, is written; for values that came by an alias or a merge
   * key, that is where the anchor is. Of a path that leads nowhere, its last part that exists.
   */
  locate(path: Path, part?: ConfigPart): Range;
  /** Where each item of the list at `path` starts, where that is known without a look at each. */
  readonly itemStarts?: (path: Path) => readonly number[] | undefined;
  readonly hidden: Hidden;
}
