import { type ChangeObject, diffChars } from 'diff';

const MAX_LENGTH = 40;

/**
 * Returns the known word that is most similar, ignoring letter case, hyphens and underscores. `undefined` if more than
 * about a quarter of the letters differ.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  const plain = simplify(word);
  let best: { word: string; distance: number } | undefined;
  for (const candidate of known) {
    // A wrong letter, and two letters in the wrong order, count as two edits.
    const maxEditLength = Math.max(2, Math.floor(candidate.length / 2));
    const edits = diffChars(plain, simplify(candidate), { maxEditLength })?.filter(isEdit);
    const distance = edits?.reduce((sum, { count }) => sum + count, 0) ?? Number.POSITIVE_INFINITY;
    if (distance < (best?.distance ?? Number.POSITIVE_INFINITY)) best = { word: candidate, distance };
  }
  return best?.word;
}

export function suggestion(word: string, known: readonly string[], otherwise: string): string {
  const meant = nearest(word, known);
  return meant === undefined ? otherwise : `Did you mean ${meant}?`;
}

function isEdit({ added, removed }: ChangeObject<string>): boolean {
  return added || removed;
}

/** Removes letter case, hyphens, underscores and spaces, because people often confuse these. */
function simplify(word: string): string {
  return word.toLowerCase().replaceAll(/[-_ ]/g, '');
}
