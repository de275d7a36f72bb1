import { PLAN_FORMATS } from '../../report/formats.ts';
import { madeByText } from '../../report/runs.ts';
import { readPlan } from '../../sync/saved-plan.ts';
import { checkOutputs, showPlan } from '../io/documents.ts';
import type { Run } from '../options.ts';

const NOT_CHECKED = 'Seal not checked: this needs the API key, so only "websites apply" does it.\n';
const NO_SEAL = 'This plan has no seal, so "websites apply" does not accept it.\n';

export default (async (flags, io, [file = '']) => {
  checkOutputs(flags, [{ path: file }], PLAN_FORMATS, io);
  const plan = await readPlan(file, io);
  await showPlan(plan, flags, io);
  if (plan.made_by !== undefined) io.err(`Made at ${plan.created_at} by ${madeByText(plan.made_by)}.\n`);
  io.err(plan.seal === undefined ? NO_SEAL : NOT_CHECKED);
}) satisfies Run<'show'>;
