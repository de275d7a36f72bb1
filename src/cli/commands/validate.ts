import { EXIT } from '../../core/errors.ts';
import { defineCommand } from '../command.ts';
import { showWarnings } from '../output.ts';
import { load } from '../session.ts';
import { FILE_FLAGS } from '../shared-flags.ts';

export default defineCommand({
  flags: FILE_FLAGS,
  examples: [
    ['websites validate', 'websites.yaml of this folder or one above it'],
    ['websites validate -f sites/ -f "teams/*.yaml"', 'several files as one configuration'],
  ],
  async run(flags, io) {
    const config = await load(flags, io);
    showWarnings(config.warnings, io, flags);
    const count = config.desired.websites.length;
    const files = config.files.map((file) => file.path).join(', ');
    io.out(`Valid: ${count} ${count === 1 ? 'website' : 'websites'} in ${files}.\n`);
    return EXIT.done;
  },
});
