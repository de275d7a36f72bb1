/** JSON in one text form: keys sorted, nothing undefined, no white space; what digests are taken of. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

/** A function that gives the SHA-256 of a text as hex; it comes from outside, core computes none. */
export type Digest = (text: string) => string;
