/**
 * Texts of changes. Most changes of a large plan share, by identity, all but their domain, id and place with many
 * others: what they share is written once, and cut where a change has what is its own.
 */
import type { Change, Create, Delete, Update } from '../../model/change.ts';

export type WriteChange = (change: Change) => string;

/** Changes that are alike, by the first of them. */
interface Alike {
  readonly first: Change;
  /** There from the second one on. */
  write?: WriteChange;
}

/** So many sets of settings are remembered, and for each so many kinds of changes. */
const MOST_SETTINGS = 10_000;
const MOST_KINDS = 16;

/** Writes what `write` does, and seldom asks it. That must be JSON whose members have one order. */
export function createChangeWriter(write: WriteChange): WriteChange {
  const bySettings = new Map<object, Alike[]>();
  return (change) => {
    const settings = change.action === 'create' ? change.fields : change.before;
    const kinds = bySettings.get(settings) ?? [];
    const known = kinds.find(({ first }) => areAlike(first, change));
    if (known !== undefined) {
      known.write ??= alikeWriter(known.first, write);
      return known.write(change);
    }
    if (kinds.length < MOST_KINDS) kinds.push({ first: change });
    if (bySettings.size < MOST_SETTINGS) bySettings.set(settings, kinds);
    return write(change);
  };
}

type Member = keyof Create | keyof Update | keyof Delete;
type Own = 'domain' | 'id' | 'source';

const SHARED = Object.keys({
  action: true,
  before: true,
  fields: true,
  group: true,
  alongside: true,
  kept: true,
  unreadable: true,
  password_set: true,
  cause: true,
  risk: true,
  notes: true,
  origin: true,
} satisfies Record<Exclude<Member, Own>, true>) as (keyof Change)[];

function areAlike(a: Change, b: Change): boolean {
  return (
    SHARED.every((name) => a[name as keyof Change] === b[name as keyof Change]) &&
    a.source?.file === b.source?.file
  );
}

/** As JSON writes NUL. Where it stands already, nothing can be marked with it. */
const NUL = '\\u0000';
const MARK = /"\\u0000(domain|id|line|column)"/;

/** Writes changes that are like `first`: texts that they share, and names of what is filled in, in turn. */
function alikeWriter(first: Change, write: WriteChange): WriteChange {
  if (write(first).includes(NUL)) return write;
  const pieces = write(marked(first)).split(MARK);
  return (change) => {
    let text = '';
    for (let index = 0; index < pieces.length; index += 1) {
      const piece = pieces[index] as string;
      text += index % 2 === 0 ? piece : JSON.stringify(ownOf(change, piece));
    }
    return text;
  };
}

/** The change with marks in place of what is its own. */
function marked(change: Change): Change {
  const marks = {
    domain: '\0domain',
    ...('id' in change && { id: '\0id' }),
    ...(change.source && { source: { ...change.source, line: '\0line', column: '\0column' } }),
  };
  return { ...change, ...(marks as object) };
}

function ownOf(change: Change, name: string): string | number {
  if (name === 'domain') return change.domain;
  if (name === 'id') return (change as Update | Delete).id;
  return change.source?.[name as 'line' | 'column'] ?? 0;
}
