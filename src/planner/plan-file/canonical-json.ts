import { configure } from 'safe-stable-stringify';

/**
 * Writes JSON in one text form: keys sorted, nothing undefined, no white space; what digests are taken of. Throws for
 * what holds itself.
 */
export const canonicalJson = configure({ circularValue: TypeError }) as (value: unknown) => string;
