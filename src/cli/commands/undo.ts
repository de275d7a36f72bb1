import { EXIT, worstExit } from '../../model/errors.ts';
import { RESULT_FORMATS } from '../../report/formats.ts';
import { openUndo } from '../../sync/session.ts';
import { approve } from '../apply/approve.ts';
import { applyAndReport, RESULT_FORMAT_FLAG } from '../apply/run-and-report.ts';
import { usageError } from '../argv/flags.ts';
import {
  APPROVAL_FLAGS,
  CANARY_FLAGS,
  FILE_FLAGS,
  FOLLOW_FLAGS,
  PLAN_FLAGS,
  RESULT_REPORT_FLAGS,
  SERVICE_FLAGS,
} from '../argv/shared-flags.ts';
import { defineCommand } from '../command.ts';
import { nothingRead } from '../io/output.ts';
import { checkOutputs } from '../io/reports.ts';
import { hereOf, openingOf } from '../session/open-apply.ts';
import { allowed, load, serviceSettings } from '../session/settings.ts';

const FLAGS = {
  ...FILE_FLAGS,
  ...SERVICE_FLAGS,
  ...FOLLOW_FLAGS,
  ...RESULT_REPORT_FLAGS,
  ...APPROVAL_FLAGS,
  ...CANARY_FLAGS,
  'allow-deletes': PLAN_FLAGS['allow-deletes'],
  'allow-updates': PLAN_FLAGS['allow-updates'],
  format: RESULT_FORMAT_FLAG,
} as const;

export default defineCommand({
  positional: '[RUN]',
  completes: 'run',
  flags: FLAGS,
  examples: [
    ['websites undo', 'undo the last run that changed anything'],
    ['websites undo 20260131T090000.000Z-1a2b3c', 'undo that run; "websites runs" lists runs'],
  ],
  async run(flags, io, [run, ...rest]) {
    if (rest.length > 0) throw usageError('"websites undo" takes one run.', '"websites runs" lists them.');
    const config = await load(flags, io);
    // Files that are missed may protect what the run created, or ignore it.
    if (config.unmatched.length > 0) throw nothingRead(config.unmatched);
    checkOutputs(flags, config.files, RESULT_FORMATS, io);
    const opening = openingOf(serviceSettings(flags, config, io), flags, io);
    const undoing = { run, allow: allowed(flags) };
    const session = await openUndo(config, undoing, opening);
    try {
      const { plan, skipped } = session;
      const blocked = await approve(plan, flags, io, await hereOf(session));
      if (blocked !== undefined) return blocked;
      // Whoever reads text or events has them with the plan.
      const notes = flags.format === 'json' ? plan.warnings.map(({ message }) => message) : [];
      const code = await applyAndReport(session, flags, io, notes);
      return worstExit([code, ...(skipped > 0 ? [EXIT.stale] : [])]);
    } finally {
      await session.close();
    }
  },
});
