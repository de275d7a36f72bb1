/** The changes that a run carried out, as far as a report names them. */
import type { Change } from '../../model/change.ts';
import { compareRisk } from '../../model/risk.ts';

export interface Applied {
  /** Missing where nobody knows them: a result holds their number alone. */
  readonly applied?: readonly Change[] | undefined;
}

/** The gravest first, at most so many. */
export function gravestApplied({ applied = [] }: Applied, most: number): readonly Change[] {
  return applied.toSorted((a, b) => compareRisk(a.risk, b.risk)).slice(0, most);
}
