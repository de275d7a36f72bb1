/** What a program holds of the files. */
import type { Problem } from '../model/errors.ts';
import type { DesiredWebsite } from '../model/website.ts';

/** Files that were read and found right. Passwords are references here, never values. */
export interface Configuration {
  readonly websites: readonly DesiredWebsite[];
  readonly files: readonly { readonly path: string; readonly digest: string }[];
  /** The folder of the first file, or the one that is named first; the journal lies in it. */
  readonly root: string;
  readonly warnings: readonly Problem[];
}
