/** The text of a plan, for its digest, the start of a journal, and the lines of a saved plan. */

import { configure } from 'safe-stable-stringify';
import type { Change } from '../../model/change.ts';
import type { Digest, Plan } from '../../model/plan.ts';

/** JSON in one form: keys sorted, nothing undefined, no white space. Throws for a circular value. */
export const canonicalJson = configure({ circularValue: TypeError }) as (value: unknown) => string;

/** Items copied and written at once, so that copies are freed soon. */
const ITEMS_AT_ONCE = 256;

const MAX_KEPT = 10_000;

/** Writes what `canonicalJson` does, several times as fast: most changes of a large plan share values by identity. */
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

/** The items of a long list as canonical JSON, one per line; in pieces, so that no string is too long. */
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

/** The digest of a plan's current content: a program may have altered it in place. */
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
