/** A folder for PATH with the built program in it under its name. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAIN } from './cli.ts';

/** Makes the folder `bin` in `folder`; `others` are shell scripts that stand in for other programs. */
export function websitesBin(folder: string, others: Readonly<Record<string, string>> = {}): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const programs = { websites: `exec "${process.execPath}" "${MAIN}" "$@"\n`, ...others };
  for (const [name, script] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/bash\n${script}`);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}
