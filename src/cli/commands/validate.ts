import { loadEach } from '../../config/load.ts';
import { noFile, sortProblems } from '../../config/read/problems.ts';
import { EXIT } from '../../model/errors.ts';
import { validationJson, validHuman } from '../../render/validation.ts';
import { DOCUMENT_FORMAT_FLAG, FILE_FLAGS } from '../argv/shared-flags.ts';
import { defineCommand } from '../command.ts';
import { nothingRead, showWarnings } from '../io/output.ts';
import { load, loadOptions } from '../session/settings.ts';

export default defineCommand({
  flags: {
    ...FILE_FLAGS,
    format: DOCUMENT_FORMAT_FLAG,
  },
  examples: [
    ['websites validate', 'check websites.yaml here or above'],
    ['websites validate -f sites/ -f "teams/*.yaml"', 'check several files as one configuration'],
    ['websites validate --format json', 'list each problem with its location, for an editor or CI'],
  ],
  async run(flags, io) {
    const isOne = flags.target !== undefined;
    const configs = isOne ? [await load(flags, io)] : await loadEach(loadOptions(flags, io));
    const empty = configs.find(({ files }) => files.length === 0);
    if (empty !== undefined) throw nothingRead(empty.unmatched);
    const warnings = sortProblems(
      configs.flatMap(({ warnings: own, unmatched }) => [...own, ...unmatched.map(noFile)]),
    );
    showWarnings(warnings, flags, io);
    const valid = configs.map(({ desired, files, pins }) => ({
      target: pins.target?.name,
      files: files.map(({ path }) => path),
      websites: desired.websites.length,
    }));
    io.out(flags.format === 'json' ? validationJson(valid, warnings) : validHuman(valid));
    return EXIT.done;
  },
});
