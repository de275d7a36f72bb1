/** A record as one place of the files declares it. */
import type { DesiredWebsite } from '../core/website.ts';
import type { Path } from './locate.ts';
import type { Scope } from './read.ts';

/** A record, and where its domain is written. */
export interface DeclaredWebsite {
  readonly website: DesiredWebsite;
  readonly scope: Scope;
  readonly path: Path;
}
