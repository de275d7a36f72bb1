/**
 * Seals show that the holder of the API key wrote something for this service. Somebody who can add files to a
 * checkout, without the key, cannot make one. A seal does not show its age: an old sealed file can be
 * restored (decision: "Plans and journals are sealed").
 */
import { WebsitesError } from './errors.ts';

/** Kinds of sealed content; the seal of one kind fits no other. */
type Sealed = 'plan' | 'journal';

export interface Seals {
  of(kind: Sealed, text: string): string;
  /** True if `seal`, as it was read, is that of `text`. Takes constant time. */
  fits(kind: Sealed, text: string, seal: unknown): boolean;
}

/** The error for content without a fitting seal, which anybody may have written. */
export function notSealed(what: string, remedy: string): WebsitesError {
  return new WebsitesError('seal-invalid', `${what} was not written with this API key.`, { remedy });
}
