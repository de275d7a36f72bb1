const MAX_LENGTH = 40;

/**
 * Returns the known word that is most similar, ignoring letter case, hyphens and underscores. `undefined` if more
 * than a third of the letters differ.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > MAX_LENGTH) return undefined;
  const plain = simplify(word);
  let best: { word: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(plain, simplify(candidate));
    if (distance > Math.max(1, Math.floor(candidate.length / 3))) continue;
    if (best === undefined || distance < best.distance) best = { word: candidate, distance };
  }
  return best?.word;
}

export function suggestion(word: string, known: readonly string[], otherwise: string): string {
  const meant = nearest(word, known);
  return meant === undefined ? otherwise : `Did you mean ${meant}?`;
}

/** Removes letter case, hyphens, underscores and spaces, because people often confuse these. */
function simplify(word: string): string {
  return word.toLowerCase().replaceAll(/[-_ ]/g, '');
}

/** Number of letters to insert, delete, replace or swap with their neighbor (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = at(previous, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(before, j - 2) + 1 : replaced;
      row.push(Math.min(replaced, swapped, at(previous, j) + 1, at(row, j - 1) + 1));
    }
    [before, previous] = [previous, row];
  }
  return at(previous, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
