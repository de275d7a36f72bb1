import { loadTargets } from '../../config/load.ts';
import { EXIT } from '../../model/errors.ts';
import { targetListHuman, targetMatrix } from '../../render/targets.ts';
import { DOCUMENT_FORMAT_FLAG, FILE_FLAGS } from '../argv/shared-flags.ts';
import { defineCommand } from '../command.ts';
import { nothingRead } from '../io/output.ts';
import { loadOptions } from '../session/settings.ts';

export default defineCommand({
  flags: {
    file: FILE_FLAGS.file,
    'allow-path': FILE_FLAGS['allow-path'],
    format: DOCUMENT_FORMAT_FLAG,
  },
  examples: [
    ['websites targets', 'list targets, and where the API key of each comes from'],
    ['websites targets --format json', 'print a matrix for CI on one line'],
  ],
  async run(flags, io) {
    const { targets, unmatched } = await loadTargets(loadOptions(flags, io));
    // A target that is missed is one that a pipeline goes past.
    if (unmatched.length > 0) throw nothingRead(unmatched);
    io.out(flags.format === 'json' ? targetMatrix(targets) : targetListHuman(targets));
    return EXIT.done;
  },
});
