/** Where a plan is shown: standard output, report files, and the CI system that the command runs in. */
import { appendFile } from 'node:fs/promises';
import { relative, resolve, sep } from 'node:path';
import { sha256 } from '../config/digest.ts';
import { realPath } from '../config/disk.ts';
import type { Plan } from '../core/plan.ts';
import type { Result } from '../core/run.ts';
import { PLAN_FORMATS, type PlanFormat, planPieces } from '../render/formats.ts';
import { inBatches } from '../render/pieces.ts';
import type { RenderOptions } from '../render/text.ts';
import { writeWhole } from '../sync/whole-file.ts';
import type { CommonFlags } from './command.ts';
import { type Flag, type FlagValues, unfit, usageError } from './flags.ts';
import type { Io } from './io.ts';
import { outOptions } from './output.ts';
import type { REPORT_FLAGS } from './shared-flags.ts';

export interface SurfaceFlags extends CommonFlags, Partial<FlagValues<typeof REPORT_FLAGS>> {
  readonly format?: string | undefined;
}

export const PLAN_FORMAT_FLAG = {
  type: 'string',
  choices: Object.keys(PLAN_FORMATS),
  describe: 'How to print the plan',
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
      throw usageError(`${file} would be written twice.`, 'Give each output a file of its own.');
    }
    written.add(path);
    if (sources.has(realPath(path))) {
      throw usageError(`${file} would be written over, and the plan is made from it.`, 'Name another file.');
    }
  }
}

function readReports(values: readonly string[] = []): readonly Report[] {
  return values.map((value) => {
    const [, format = '', file = ''] = /^([a-z]+)=(.+)$/.exec(value) ?? [];
    if (!isPlanFormat(format)) {
      const formats = Object.keys(PLAN_FORMATS).join(', ');
      throw unfit('--report', value, `Write FORMAT=FILE, with one of ${formats}.`);
    }
    if (file === '-') throw unfit('--report', value, 'Name a file; ./- is one of that name.');
    return { format, file };
  });
}

function isPlanFormat(text: string): text is PlanFormat {
  return Object.hasOwn(PLAN_FORMATS, text);
}

/** Shows the plan on standard output and everywhere else that was asked for. Throws `file-failed`. */
export async function showPlan(plan: Plan, flags: SurfaceFlags, io: Io): Promise<void> {
  await reportPlan(plan, flags, io);
  const format = (flags.format ?? 'human') as PlanFormat;
  for (const text of await rendered(plan, format, outOptions(io, flags))) io.out(text);
}

/** Shows the plan everywhere but on standard output. Throws `file-failed`. */
export async function reportPlan(plan: Plan, flags: SurfaceFlags, io: Io): Promise<void> {
  const plain = { color: false, width: io.width };
  for (const { format, file } of readReports(flags.report)) {
    await writeWhole(file, await rendered(plan, format, plain), io.cwd);
  }
  if (io.env.GITHUB_ACTIONS !== 'true') return;
  const { annotations, planAnnotations } = await import('../render/annotations.ts');
  const summary = [...(await rendered(plan, 'markdown', plain))].join('');
  await tellGitHub(annotations(planAnnotations(plan), folderOf(io), plan.service.target), summary, io);
}

async function rendered(plan: Plan, format: PlanFormat, options: RenderOptions): Promise<Iterable<string>> {
  return inBatches(await planPieces(plan, format, { ...options, digest: sha256 }));
}

/** Tells the CI system that this runs in of a result, where it takes such; and of which target it is, if of one. */
export async function tellResult(result: Result, io: Io, target?: string): Promise<void> {
  if (io.env.GITHUB_ACTIONS !== 'true') return;
  const { annotations, resultAnnotations } = await import('../render/annotations.ts');
  const { resultMarkdown } = await import('../render/result/markdown.ts');
  const commands = annotations(resultAnnotations(result), folderOf(io), target);
  await tellGitHub(commands, resultMarkdown(result, { target }), io);
}

/** Tells it of an error; and of which target it is, if of one. */
export async function tellError(error: unknown, io: Io, target?: string): Promise<void> {
  if (io.env.GITHUB_ACTIONS !== 'true') return;
  const { annotations, errorAnnotations } = await import('../render/annotations.ts');
  const { errorMarkdown } = await import('../render/error-markdown.ts');
  const commands = annotations(errorAnnotations(error), folderOf(io), target);
  await tellGitHub(commands, errorMarkdown(error, { target }), io);
}

/** The working folder as seen from the repository that the job checked out; `''` where it is not in there. */
function folderOf({ cwd, env }: Io): string {
  const way = relative(env.GITHUB_WORKSPACE || cwd, cwd).split(sep);
  return way[0] === '..' ? '' : way.join('/');
}

/** Annotations at the YAML lines, and the step summary. They go to standard error: standard output is a document's. */
async function tellGitHub(commands: string, markdown: string, io: Io): Promise<void> {
  io.err(commands);
  const summary = io.env.GITHUB_STEP_SUMMARY;
  if (!summary) return;
  await appendFile(summary, markdown).catch((error: Error) =>
    io.err(`The step summary was not written: ${error.message}\n`),
  );
}
