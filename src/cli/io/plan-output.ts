/** Where a plan is shown: on standard output, in report files, and by the CI system that the command runs in. */
import { join, resolve } from 'node:path';
import { realPath } from '../../config/files/disk.ts';
import type { Config } from '../../config/load.ts';
import { LOCK_FILE } from '../../config/secrets/lock-file.ts';
import type { Plan } from '../../model/plan.ts';
import { inBatches } from '../../render/chunks.ts';
import { PLAN_FORMATS, type PlanFormat, planPieces } from '../../render/formats.ts';
import { type Here, SECRETS_NEEDED, secretsOf } from '../../render/plan/secrets.ts';
import { safe } from '../../render/sanitize.ts';
import { type RenderOptions, some } from '../../render/text.ts';
import { writeWhole } from '../../sync/write-atomic.ts';
import { sha256 } from '../../util/node/sha256.ts';
import { type Flag, type FlagValues, unfit, usageError } from '../argv/flags.ts';
import type { REPORT_FLAGS } from '../argv/shared-flags.ts';
import type { CommonFlags } from '../command.ts';
import { tellPlan } from './github-actions.ts';
import type { Io } from './io.ts';
import { outOptions } from './output.ts';

export interface SurfaceFlags extends CommonFlags, Partial<FlagValues<typeof REPORT_FLAGS>> {
  readonly format?: string | undefined;
}

export const PLAN_FORMAT_FLAG = {
  type: 'string',
  choices: Object.keys(PLAN_FORMATS),
  describe: 'Format',
  default: 'human',
} as const satisfies Flag;

/** A report that was asked for as FORMAT=FILE. */
interface Report {
  readonly format: PlanFormat;
  readonly file: string;
}

/** What names files that are written. */
export interface OutputFlags extends Pick<SurfaceFlags, 'report'> {
  readonly out?: string | undefined;
}

/** As checkOutputs, where a plan is made from files and from what stands beside them. */
export function checkPlanOutputs(
  flags: OutputFlags,
  { files, root }: Pick<Config, 'files' | 'root'>,
  io: Io,
): void {
  checkOutputs(flags, [...files, { path: join(root, LOCK_FILE) }], io);
}

/** Throws `usage` for a `--report` that is none, and for files that would be written twice, or over one that was read. */
export function checkOutputs(
  { report, out }: OutputFlags,
  read: readonly { readonly path: string }[],
  { cwd }: Pick<Io, 'cwd'>,
): void {
  const outputs = [...(out === undefined ? [] : [out]), ...readReports(report).map(({ file }) => file)];
  const sources = new Set(read.map(({ path }) => realPath(resolve(cwd, path))));
  const written = new Set<string>();
  for (const file of outputs) {
    const path = resolve(cwd, file);
    if (written.has(path)) {
      throw usageError(`${file} would be written twice.`, 'Use a different file for each output.');
    }
    written.add(path);
    if (sources.has(realPath(path))) {
      throw usageError(`${file} is an input of the plan and would be overwritten.`, 'Name another file.');
    }
  }
}

function readReports(values: readonly string[] = []): readonly Report[] {
  return values.map((value) => {
    const [, format = formatBy(value), file = value] = /^([a-z]+)=(.+)$/.exec(value) ?? [];
    if (!isPlanFormat(format)) {
      const formats = Object.keys(PLAN_FORMATS).join(', ');
      throw unfit(
        '--report',
        value,
        `Write FORMAT=FILE, with one of ${formats}; or a FILE that ends in .html, .md or .json.`,
      );
    }
    if (file === '-') throw unfit('--report', value, 'Name a file. For a file called "-", write ./-.');
    return { format, file };
  });
}

/** The format that the name of a file tells; '' where it tells none. */
function formatBy(file: string): string {
  const [, ending = ''] = /\.(html|md|json)$/i.exec(file) ?? [];
  return ending.toLowerCase() === 'md' ? 'markdown' : ending.toLowerCase();
}

function isPlanFormat(text: string): text is PlanFormat {
  return Object.hasOwn(PLAN_FORMATS, text);
}

/** Shows the plan on standard output and everywhere else that was asked for. Throws `file-failed`. */
export async function showPlan(plan: Plan, flags: SurfaceFlags, io: Io, here: Here = {}): Promise<void> {
  await reportPlan(plan, flags, io, here);
  const format = (flags.format ?? 'human') as PlanFormat;
  for (const text of await rendered(plan, format, { ...outOptions(flags, io), ...here })) io.out(text);
  tellUnset(plan, flags, io, here);
}

/** Formats that hold the plan alone, of which it is no part what is set here. */
const PLAN_ALONE: readonly unknown[] = ['json', 'gitlab'] satisfies PlanFormat[];

/** Names the secrets that are not set here on standard error, where standard output cannot. */
export function tellUnset(
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
  await writeReports(plan, flags, io, here);
  await tellPlan(plan, io, here);
}

/** Writes the plan to the files that were asked for. Throws `file-failed`. */
export async function writeReports(plan: Plan, flags: SurfaceFlags, io: Io, here: Here = {}): Promise<void> {
  const plain = { color: false, width: io.width, ...here };
  for (const { format, file } of readReports(flags.report)) {
    await writeWhole(file, await rendered(plan, format, plain), io.cwd);
  }
}

async function rendered(
  plan: Plan,
  format: PlanFormat,
  options: RenderOptions & Here,
): Promise<Iterable<string>> {
  return inBatches(await planPieces(plan, format, { ...options, digest: sha256 }));
}
