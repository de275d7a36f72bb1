import { EXIT } from '../../core/errors.ts';
import { readPlan } from '../../sync/saved-plan.ts';
import { defineCommand } from '../command.ts';
import { usageError } from '../flags.ts';
import { REPORT_FLAGS } from '../shared-flags.ts';
import { checkOutputs, PLAN_FORMAT_FLAG, showPlan } from '../surfaces.ts';

export default defineCommand({
  positional: 'PLAN-FILE',
  flags: { ...REPORT_FLAGS, format: PLAN_FORMAT_FLAG },
  examples: [
    ['websites show plan.json', 'a saved plan as text'],
    ['websites show plan.json --format markdown', 'for a pull-request comment'],
  ],
  async run(flags, io, [file, ...rest]) {
    if (file === undefined || rest.length > 0) {
      throw usageError(
        '"websites show" takes one plan file.',
        'Name one that "websites plan --out" has written.',
      );
    }
    checkOutputs(flags, [{ path: file }], io);
    await showPlan(await readPlan(file, io), flags, io);
    return EXIT.done;
  },
});
