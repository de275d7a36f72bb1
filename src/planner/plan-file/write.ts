/** Writes a plan as text: for its digest, for the start of a run file, and for a saved plan. */

import { configure } from 'safe-stable-stringify';
import type { Digest, Plan } from '../../model/plan.ts';

/** JSON in one form: sorted keys, no undefined members, no white space. Throws for a circular value. */
export const canonicalJson = configure({ circularValue: TypeError }) as (value: unknown) => string;

/** Number of items that are written together. */
const ITEMS_AT_ONCE = 256;

export const LONG_LISTS: readonly string[] = ['changes', 'orphans'];

/** Returns the items of a list as canonical JSON, one per line, in pieces, because one string could be too long. */
export function planLines(items: readonly unknown[]): readonly string[] {
  const pieces: string[] = [];
  for (let start = 0; start < items.length; start += ITEMS_AT_ONCE) {
    const some = items.slice(start, start + ITEMS_AT_ONCE);
    pieces.push(some.map((item) => canonicalJson(item)).join('\n'));
  }
  return pieces;
}

export function* planPieces(plan: Omit<Plan, 'digest'>): Generator<string> {
  const members = Object.entries(plan).filter(([, member]) => member !== undefined);
  let before = '{';
  for (const [name, member] of members.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    yield `${before}${JSON.stringify(name)}:`;
    before = ',';
    if (!LONG_LISTS.includes(name)) yield canonicalJson(member);
    else {
      yield '[';
      for (const [index, piece] of planLines(member as readonly unknown[]).entries())
        yield `${index === 0 ? '' : ','}${piece.replaceAll('\n', ',')}`;
      yield ']';
    }
  }
  yield '}';
}

/** Computes the digest of the current content, because a program may have changed the plan in place. */
export function planDigest(plan: Omit<Plan, 'digest'>, digest: Digest): string {
  const { digest: _, seal: __, ...rest } = plan as Plan;
  return digest(planPieces(rest));
}

export function bearsItsDigest(plan: Plan, digest: Digest): boolean {
  try {
    return planDigest(plan, digest) === plan.digest;
  } catch {
    return false;
  }
}
