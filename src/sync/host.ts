/** What the process that this runs in has to offer. */
import type { Environment } from '../util/environment.ts';

export interface Host {
  readonly env: Environment;
  readonly cwd: string;
  readonly stdin: AsyncIterable<Uint8Array | string>;
}
