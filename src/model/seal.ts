/**
 * Seals: by them a program knows what it, or another with the same API key, has written for this service. Whoever can
 * add files to a checkout, and has no key, cannot make one. A seal does not say when: what was sealed can be put back
 * (decision: "Plans and journals are sealed").
 */
import { WebsitesError } from './errors.ts';

/** What bears a seal; that of one kind fits no other. */
export type Sealed = 'plan' | 'journal' | 'service' | 'commit';

export type SealedText = string | readonly string[];

export interface Seals {
  of(kind: Sealed, text: SealedText): string;
  /** Whether `seal`, as it was read, is that of `text`. How long that takes tells nothing of the right one. */
  fits(kind: Sealed, text: SealedText, seal: unknown): boolean;
}

/** That `what` has no seal, or none that fits, and so may be anybody's. */
export function notSealed(what: string, remedy: string): WebsitesError {
  return new WebsitesError('seal-invalid', `${what} was not written with this API key.`, { remedy });
}
