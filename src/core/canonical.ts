import { configure } from 'safe-stable-stringify';

/**
 * Writes JSON in one text form: keys sorted, nothing undefined, no white space; what digests are taken of. Throws for
 * what holds itself.
 */
export const canonicalJson = configure({ circularValue: TypeError }) as (value: unknown) => string;

/** A function that gives the SHA-256 of texts, one after the other, as hex; it comes from outside, core computes none. */
export type Digest = (content: string | Iterable<string>) => string;
