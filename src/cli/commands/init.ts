import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { EXIT, WebsitesError } from '../../core/errors.ts';
import { defineCommand } from '../command.ts';
import { STARTER } from '../starter.ts';

export default defineCommand({
  flags: {
    out: { type: 'string', describe: 'The file to write', default: 'websites.yaml' },
    force: { type: 'boolean', describe: 'Overwrite it', approval: true },
  },
  examples: [['websites init', 'then edit websites.yaml, and "websites plan"']],
  async run({ out = 'websites.yaml', force = false }, io) {
    try {
      await writeFile(resolve(io.cwd, out), STARTER, { flag: force ? 'w' : 'wx' });
    } catch (error) {
      const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
      throw new WebsitesError(
        'file-failed',
        exists ? `${out} exists already.` : `${out} cannot be written: ${(error as Error).message}.`,
        {
          remedy: exists
            ? 'Name another file with --out, or overwrite it with --force.'
            : 'Name a file in a folder that can be written to.',
          cause: error,
        },
      );
    }
    io.out(`Wrote ${out}. Next: websites plan\n`);
    return EXIT.done;
  },
});
