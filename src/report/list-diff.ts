/** Lists as a diff draws them. */
import { diffArrays } from 'diff';
import { safe } from './sanitize.ts';
import { type DrawList, type Piece, removedThenAdded } from './values.ts';

/** So many items that stay between others are shown, more are counted. */
const STAYING = 3;

/**
 * What goes, comes and stays, in one order of both lists, which are sets. A new list keeps its own order, and of one
 * with more changes than there is room for, what goes and what comes is counted.
 */
export const listDiff: DrawList = (had = [], has, room) => {
  const parts =
    had.length === 0
      ? undefined
      : diffArrays(had.toSorted(), has.toSorted(), { maxEditLength: 2 * room.items });
  if (parts === undefined) return removedThenAdded(had, has, room);
  return parts.flatMap(({ added, removed, value }): Piece[] => {
    if (!added && !removed && value.length > STAYING)
      return [{ tone: 'dim', text: `… ${value.length} unchanged` }];
    const tone = added ? 'add' : removed ? 'remove' : 'dim';
    return value.map((item) => ({ tone, text: safe(item, room.characters) }));
  });
};
