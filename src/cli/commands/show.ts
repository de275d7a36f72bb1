import { PLAN_FORMATS } from '../../report/formats.ts';
import { madeByText } from '../../report/runs.ts';
import { readPlan } from '../../sync/saved-plan.ts';
import { checkOutputs, showPlan } from '../io/documents.ts';
import type { CommandMain } from '../options.ts';

const NOT_CHECKED = 'Seal not checked: this needs the API key, so only "websites apply" does it.\n';
const NO_SEAL = 'This plan has no seal, so "websites apply" does not accept it.\n';

export default (async (flags, io, [file = '']) => {
  await checkOutputs(flags, [{ path: file }], PLAN_FORMATS, io);
  const plan = await readPlan(file, io);
  await showPlan(plan, flags, io);
  const { created_at, expires_at, made_by } = plan;
  const by = made_by === undefined ? '' : ` by ${madeByText(made_by)}`;
  const expires = Date.parse(expires_at) > Date.now() ? 'Expires' : 'Expired';
  io.err(`Made at ${created_at}${by}. ${expires} at ${expires_at}.\n`);
  io.err(plan.seal === undefined ? NO_SEAL : NOT_CHECKED);
}) satisfies CommandMain<'show'>;
