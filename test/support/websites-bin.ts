import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAIN } from './cli.ts';
import { scriptFor } from './here.ts';

/**
 * Makes the folder `bin` in `folder`, for PATH, with the built program; `others` are shell scripts that replace other
 * programs. A command that reads a pipe, or runs until it is ended, is a separate process.
 */
export async function websitesBin(
  folder: string,
  others: Readonly<Record<string, string>> = {},
): Promise<string> {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const alone = `exec "${process.execPath}" "${MAIN}" "$@"`;
  const websites = `[ "$1" != serve ] || ${alone}
[ ! -p /dev/stdin ] || ${alone}
${await scriptFor('websites')}`;
  for (const [name, script] of Object.entries({ websites, ...others }))
    writeFileSync(join(bin, name), `#!/bin/bash\n${script}`, { mode: 0o755 });
  return bin;
}
