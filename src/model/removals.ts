/** Records that earlier commits declared (decision: "Prune deletes only what the files declared"). */
import type { Place } from './errors.ts';

export interface Commits {
  readonly since: string;
  /** The merge base of `since` and HEAD. */
  readonly merge_base: string;
}

/** A domain that was declared present at both commits and that no file lists now. */
export interface Removed {
  /** A tracked file that still names it. */
  readonly named?: Place;
  /** The ID of its record that was deleted since; `gone` if no record of then is left. */
  readonly pruned?: string;
}

export const GONE = 'gone';

export interface Removals {
  readonly commits: Commits;
  readonly removed: ReadonlyMap<string, Removed>;
  readonly warnings: readonly string[];
}
