/** Lists of names in messages. */

/** The first of `names`, the rest counted. */
export function some(names: readonly string[], named = 5): string {
  const shown = names.slice(0, named).join(', ');
  return names.length > named ? `${shown} and ${names.length - named} more` : shown;
}
