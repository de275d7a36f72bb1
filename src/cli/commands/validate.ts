import { loadEach } from '../../config/load.ts';
import { noFile, sortProblems } from '../../config/problems.ts';
import { EXIT } from '../../core/errors.ts';
import { validHuman } from '../../render/problems.ts';
import { defineCommand } from '../command.ts';
import { nothingRead, showWarnings } from '../output.ts';
import { load, loadOptions } from '../settings.ts';
import { FILE_FLAGS } from '../shared-flags.ts';

export default defineCommand({
  flags: FILE_FLAGS,
  examples: [
    ['websites validate', 'websites.yaml of this folder or one above it'],
    ['websites validate -f sites/ -f "teams/*.yaml"', 'several files as one configuration'],
  ],
  async run(flags, io) {
    const isOne = flags['target-name'] !== undefined;
    const configs = isOne ? [await load(flags, io)] : await loadEach(loadOptions(flags, io));
    const empty = configs.find(({ files }) => files.length === 0);
    if (empty !== undefined) throw nothingRead(empty.unmatched);
    const told = configs.flatMap(({ warnings, unmatched }) => [...warnings, ...unmatched.map(noFile)]);
    showWarnings(sortProblems(told), flags, io);
    for (const { desired, files, pins } of configs) {
      const names = files.map(({ path }) => path);
      io.out(validHuman(desired.websites.length, names, pins.target?.name));
    }
    return EXIT.done;
  },
});
