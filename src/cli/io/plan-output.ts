/** Where a plan is shown: on standard output, in report files, and by the CI system that the command runs in. */
import type { Plan } from '../../model/plan.ts';
import { inBatches } from '../../report/chunks.ts';
import { PLAN_FORMATS, type PlanFormat, planPieces } from '../../report/formats.ts';
import { planNotes } from '../../report/plan/human.ts';
import { type Here, SECRETS_NEEDED, secretsOf } from '../../report/plan/secrets.ts';
import { safe } from '../../report/sanitize.ts';
import { type RenderOptions, some } from '../../report/text.ts';
import { sha256 } from '../../util/node/sha256.ts';
import type { Io } from './io.ts';
import { errOptions, outOptions } from './output.ts';
import { writeReports } from './reports.ts';
import { summarizePlan } from './step-summary.ts';

export interface SurfaceFlags {
  readonly report?: readonly string[] | undefined;
  readonly format?: string | undefined;
}

/** Shows the plan on standard output and everywhere else that was asked for. Throws `file-failed`. */
export async function showPlan(plan: Plan, flags: SurfaceFlags, io: Io, here: Here = {}): Promise<void> {
  await reportPlan(plan, flags, io, here);
  const format = (flags.format ?? 'human') as PlanFormat;
  for (const text of await rendered(plan, format, { ...outOptions(io), ...here })) io.out(text);
  // A diff has no place for them.
  if (format === 'diff') io.err(planNotes(plan, { ...errOptions(io), ...here }));
  tellUnset(plan, flags, io, here);
}

/** Formats that hold the plan alone, of which it is no part what is set here. */
const PLAN_ALONE: readonly unknown[] = ['json', 'gitlab', 'diff'] satisfies PlanFormat[];

/** Names the secrets that are not set here on standard error, where standard output cannot. */
function tellUnset(
  plan: Plan,
  { format, quiet }: SurfaceFlags & { readonly quiet?: boolean | undefined },
  io: Io,
  here: Here,
): void {
  const unset = secretsOf(plan, here).filter(({ isUnset }) => isUnset);
  if (unset.length === 0 || quiet || !PLAN_ALONE.includes(format)) return;
  const names = some(unset, ({ reference }) => safe(reference));
  io.err(`${SECRETS_NEEDED} and that are not set here: ${names}.\n`);
}

/** Shows the plan everywhere but on standard output. Throws `file-failed`. */
export async function reportPlan(plan: Plan, flags: SurfaceFlags, io: Io, here: Here = {}): Promise<void> {
  await writePlanReports(plan, flags, io, here);
  await summarizePlan(plan, io, here);
}

/** Writes the plan to the files that were asked for. Throws `file-failed`. */
export async function writePlanReports(
  plan: Plan,
  flags: SurfaceFlags,
  io: Io,
  here: Here = {},
): Promise<void> {
  const plain = { color: false, width: io.width, ...here };
  await writeReports(flags, PLAN_FORMATS, (format) => rendered(plan, format, plain), io);
}

async function rendered(
  plan: Plan,
  format: PlanFormat,
  options: RenderOptions & Here,
): Promise<Iterable<string>> {
  return inBatches(await planPieces(plan, format, { ...options, digest: sha256 }));
}
