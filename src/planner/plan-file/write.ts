/** Writes a plan as text: for its digest, for the start of a run file, and for a saved plan. */

import { configure } from 'safe-stable-stringify';
import type { Change } from '../../model/change.ts';
import type { Digest, Plan } from '../../model/plan.ts';

/** JSON in one form: sorted keys, no undefined members, no white space. Throws for a circular value. */
export const canonicalJson = configure({ circularValue: TypeError }) as (value: unknown) => string;

/** Number of items that are copied and written together. A small number frees the copies soon. */
const ITEMS_AT_ONCE = 256;

const MAX_KEPT = 10_000;

/** Writes the same text as `canonicalJson`, faster, because most changes of a large plan share their values. */
export function createChangeWriter(): (change: Change) => string {
  const known = new Map<unknown, string>();
  const textOf = (shared: unknown): string => {
    const text = known.get(shared) ?? canonicalJson(shared);
    if (known.size < MAX_KEPT) known.set(shared, text);
    return text;
  };
  return (change) => {
    const members = Object.entries(change).filter(([, member]) => member !== undefined);
    members.sort(([a], [b]) => (a < b ? -1 : 1));
    const texts = members.map(([name, member]) => {
      const isShared = typeof member === 'object' && name !== 'source';
      return `${JSON.stringify(name)}:${isShared ? textOf(member) : canonicalJson(member)}`;
    });
    return `{${texts.join(',')}}`;
  };
}

export const LONG_LISTS: readonly string[] = ['changes', 'orphans'];

/** Returns the items of a list as canonical JSON, one per line, in pieces, because one string could be too long. */
export function planLines(name: string, items: readonly unknown[]): readonly string[] {
  const write = name === 'changes' ? createChangeWriter() : canonicalJson;
  const pieces: string[] = [];
  for (let start = 0; start < items.length; start += ITEMS_AT_ONCE) {
    const some = items.slice(start, start + ITEMS_AT_ONCE) as Change[];
    pieces.push(some.map(write).join('\n'));
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
      for (const [index, piece] of planLines(name, member as readonly unknown[]).entries())
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
