/**
 * Seals: by them a program knows what it, or another with the same API key, has written for this service. Whoever can
 * add files to a checkout, and has no key, cannot make one. A seal does not say when: what was sealed can be put back.
 */

/** What bears a seal; that of one kind fits no other. */
export type Sealed = 'plan' | 'journal' | 'service' | 'commit';

export interface Seals {
  /** The seal of `text`. */
  of(kind: Sealed, text: string): string;
  /** Whether `seal`, as it was read, is that of `text`. How long that takes tells nothing of the right one. */
  fits(kind: Sealed, text: string, seal: unknown): boolean;
}
