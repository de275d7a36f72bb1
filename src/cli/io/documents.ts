/** Writes documents to standard output, to the files of `--report`, and to the step summary of GitHub Actions. */
import { appendFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { realPath } from '../../config/files/disk.ts';
import type { Plan } from '../../model/plan.ts';
import { inBatches } from '../../report/chunks.ts';
import { PLAN_FORMATS, type PlanFormat, planNotes, planPieces } from '../../report/formats.ts';
import { type Here, SECRETS_NEEDED, secretsOf } from '../../report/plan.ts';
import { safe } from '../../report/sanitize.ts';
import type { RenderOptions } from '../../report/text.ts';
import { joinShortenedTexts } from '../../report/words.ts';
import { writeWhole } from '../../sync/write-atomic.ts';
import { withoutKeys } from '../../util/key-filter.ts';
import { sha256 } from '../../util/node/sha256.ts';
import { unfit, usageError } from '../argv/flags.ts';
import type { Io } from './io.ts';
import { errOptions, outOptions } from './output.ts';

export interface OutputFlags {
  readonly report?: readonly string[] | undefined;
  readonly out?: string | undefined;
}

interface ShowFlags extends OutputFlags {
  readonly format?: string | undefined;
  readonly quiet?: boolean | undefined;
}

export async function showPlan(plan: Plan, flags: ShowFlags, io: Io, here: Here = {}): Promise<void> {
  await reportPlan(plan, flags, io, here);
  const format = (flags.format ?? 'human') as PlanFormat;
  for (const text of await rendered(plan, format, { ...outOptions(io), ...here })) io.out(text);
  if (format === 'diff') io.err(planNotes(plan, { ...errOptions(io), ...here }));
  // Reports do not contain unset secrets either.
  const unset = secretsOf(plan, here).filter(({ isUnset }) => isUnset);
  if (unset.length > 0 && !flags.quiet && ['json', 'gitlab', 'diff'].includes(format)) {
    const names = joinShortenedTexts(unset.map(({ reference }) => safe(reference)));
    io.err(`${SECRETS_NEEDED} and that are not set here: ${names}.\n`);
  }
}

const MAX_PLAN = 256 * 1024;

export async function reportPlan(plan: Plan, flags: ShowFlags, io: Io, here: Here = {}): Promise<void> {
  await writePlanReports(plan, flags, io, here);
  await addToSummary(io, async () => {
    const options = { color: false, width: io.width, digest: sha256, ...here, limit: MAX_PLAN };
    return (await PLAN_FORMATS.markdown())(plan, options);
  });
}

export async function writePlanReports(plan: Plan, flags: ShowFlags, io: Io, here: Here): Promise<void> {
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

export type Formats<Format extends string> = Readonly<Record<Format, unknown>>;

/** Throws `usage` for an invalid `--report`, and for a file that would be written twice or was read. */
export function checkOutputs(
  { report, out }: OutputFlags,
  read: readonly { readonly path: string }[],
  formats: Formats<string>,
  { cwd }: Pick<Io, 'cwd'>,
): void {
  const reports = readReports(report, formats).map(({ file }) => file);
  const sources = new Set(read.map(({ path }) => realPath(resolve(cwd, path))));
  const written = new Set<string>();
  for (const file of [...(out === undefined ? [] : [out]), ...reports]) {
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

export async function writeReports<Format extends string>(
  { report }: OutputFlags,
  formats: Formats<Format>,
  text: (format: Format) => Promise<string | Iterable<string>>,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<void> {
  for (const { format, file } of readReports(report, formats)) {
    await writeWhole(file, await text(format), cwd);
  }
}

const ENDINGS: Readonly<Record<string, string>> = { html: 'html', md: 'markdown', json: 'json' };

function readReports<Format extends string>(
  values: readonly string[] = [],
  formats: Formats<Format>,
): readonly { readonly format: Format; readonly file: string }[] {
  const isFormat = (text: string): text is Format => Object.hasOwn(formats, text);
  return values.map((value) => {
    const ending = /\.(html|md|json)$/i.exec(value)?.[1]?.toLowerCase();
    const [, format = ENDINGS[ending ?? ''] ?? '', file = value] = /^([a-z]+)=(.+)$/.exec(value) ?? [];
    if (!isFormat(format)) {
      const names = Object.keys(formats).join(', ');
      const ways = `FORMAT=FILE, with one of ${names}; or a FILE that ends in .html, .md or .json.`;
      throw unfit('--report', value, `Write ${ways}`);
    }
    if (file === '-') throw unfit('--report', value, 'Name a file. For a file called "-", write ./-.');
    return { format, file };
  });
}

/** The size above which GitHub shows no summary of a step. */
const MAX_SUMMARY = 1024 * 1024;

/** Adds to the step summary of GitHub Actions, if there is one. */
export async function addToSummary({ env, err }: Io, markdown: () => Promise<string>): Promise<void> {
  const summary = env.GITHUB_STEP_SUMMARY;
  if (!summary) return;
  const text = withoutKeys(await markdown());
  try {
    const size = statSync(summary, { throwIfNoEntry: false })?.size ?? 0;
    if (size + Buffer.byteLength(text) > MAX_SUMMARY) {
      throw new Error('it would exceed 1 MiB, the limit of GitHub');
    }
    appendFileSync(summary, text);
  } catch (error) {
    err(`The step summary was not written: ${(error as Error).message}\n`);
  }
}
