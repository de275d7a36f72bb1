/** Writes a plan as text: for its digest, for the start of a run file, and for a saved plan. */

import { configure } from 'safe-stable-stringify';
import type { Digest, Plan } from '../../model/plan.ts';

/** JSON in one form: sorted keys, no undefined members, no white space. Throws for a circular value. */
export const canonicalJson = configure({ circularValue: TypeError }) as (value: unknown) => string;

/** Number of items of a list that are written together. The whole list could be too long for one string. */
const ITEMS_AT_ONCE = 256;

export const LONG_LISTS: readonly string[] = ['changes', 'orphans'];

/** Writes the same text as `canonicalJson`, in pieces. */
export function* planPieces(plan: Omit<Plan, 'digest'>): Generator<string> {
  const members = Object.entries(plan).filter(([, member]) => member !== undefined);
  let before = '{';
  for (const [name, member] of members.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    yield `${before}${JSON.stringify(name)}:`;
    if (LONG_LISTS.includes(name)) yield* listPieces(member as readonly unknown[]);
    else yield canonicalJson(member);
    before = ',';
  }
  yield '}';
}

function* listPieces(items: readonly unknown[]): Generator<string> {
  let before = '[';
  for (let start = 0; start < items.length; start += ITEMS_AT_ONCE) {
    const some = canonicalJson(items.slice(start, start + ITEMS_AT_ONCE));
    yield before + some.slice(1, -1);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
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
