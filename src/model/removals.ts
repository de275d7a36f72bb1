/**
 * What earlier commits of the files declared: of the records that no file lists, only these are deleted by
 * `prune: removed` (decision: "Prune deletes only what the files declared").
 */
import type { Place } from './errors.ts';

export interface Commits {
  /** That of `--since`. */
  readonly since: string;
  /** The merge base of that one and HEAD. */
  readonly merge_base: string;
}

/** A domain that was declared present at both commits, and that no file lists now. */
export interface Removed {
  /** Where a file that Git tracks still names it. */
  readonly named?: Place;
  /** It was deleted since: the ID of the record that was, or `gone` where it is known that none is left of then. */
  readonly pruned?: string;
}

export const GONE = 'gone';

export interface Removals {
  readonly commits: Commits;
  readonly removed: ReadonlyMap<string, Removed>;
  readonly warnings: readonly string[];
}
