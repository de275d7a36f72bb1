/** Writes documents to standard output, to the files of `--report`, and to the step summary of GitHub Actions. */
import { appendFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { realPath } from '../../config/files/disk.ts';
import type { Plan } from '../../model/plan.ts';
import { type Format, PLAN_FORMATS, type PlanFormat } from '../../report/formats.ts';
import { terminalText } from '../../report/media/terminal.ts';
import { type Here, planDocument, SECRETS_NEEDED, unsetSecrets } from '../../report/plan.ts';
import type { Context } from '../../report/result.ts';
import { joinShortenedTexts } from '../../report/words.ts';
import { withoutKeys } from '../../util/key-filter.ts';
import { sha256 } from '../../util/node/sha256.ts';
import { unfit, usageError } from '../argv/flags.ts';
import type { Io } from './io.ts';
import { errOptions, outOptions, print } from './output.ts';
import { writeWhole } from './write.ts';

export interface OutputFlags {
  readonly report?: readonly string[] | undefined;
  readonly out?: string | undefined;
}

interface ShowFlags extends OutputFlags {
  readonly format?: string | undefined;
  readonly quiet?: boolean | undefined;
}

type View = Here & Context;

export async function show<T>(value: T, format: Format<T>, io: Io, view: View = {}): Promise<void> {
  print(await format(value, { ...outOptions(io), digest: sha256, ...view }), io);
}

export async function showPlan(plan: Plan, flags: ShowFlags, io: Io, here: Here = {}): Promise<void> {
  await reportPlan(plan, flags, io, here);
  const format = (flags.format ?? 'human') as PlanFormat;
  await show(plan, PLAN_FORMATS[format], io, here);
  if (format === 'diff')
    io.err(terminalText({ ...planDocument(plan, here), body: [], facts: [] }, errOptions(io)));
  // Reports do not contain unset secrets either.
  const unset = unsetSecrets(plan, here);
  if (unset.length > 0 && !flags.quiet && ['json', 'gitlab', 'diff'].includes(format)) {
    io.err(`${SECRETS_NEEDED} and that are not set here: ${joinShortenedTexts(unset)}.\n`);
  }
}

export async function reportPlan(plan: Plan, flags: OutputFlags, io: Io, here: Here = {}): Promise<void> {
  await writeReports(plan, PLAN_FORMATS, flags, io, here);
  await summarize(plan, PLAN_FORMATS.markdown, io, here);
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

export async function writeReports<T, Name extends string>(
  value: T,
  formats: Readonly<Record<Name, Format<T>>>,
  { report }: OutputFlags,
  io: Io,
  view: View,
): Promise<void> {
  for (const { format, file } of readReports(report, formats)) {
    const options = { color: false, width: io.width, digest: sha256, ...view };
    await writeWhole(file, await formats[format](value, options), io.cwd);
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

/** The size above which GitHub shows no summary of a step, and the part of it that one text may take. */
const [MAX_SUMMARY, MAX_TEXT] = [1024 * 1024, 256 * 1024];

export function summarize<T>(value: T, format: Format<T>, io: Io, view: View): Promise<void> {
  const options = { color: false, width: io.width, digest: sha256, limit: MAX_TEXT, ...view };
  return addToSummary(io, async () => [...(await format(value, options))].join(''));
}

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
