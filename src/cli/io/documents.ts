/** Writes documents to standard output, to the files of `--report`, and to the job summary of GitHub Actions. */

import { appendFileSync, statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { placeToWrite, realPath } from '../../config/files/paths.ts';
import { reasonOf } from '../../model/errors.ts';
import type { Plan } from '../../model/plan.ts';
import { type Format, PLAN_FORMATS, type PlanFormat } from '../../report/formats.ts';
import { type Here, neededNames, planDocument, SECRETS_NEEDED } from '../../report/plan.ts';
import type { Context } from '../../report/result.ts';
import { joinShortenedTexts } from '../../report/sanitize.ts';
import { withoutKeys } from '../../util/key-filter.ts';
import { sha256 } from '../../util/node/sha256.ts';
import { unfit, usageError } from '../argv/flags.ts';
import type { AnyFlags } from '../options.ts';
import type { Io } from './io.ts';
import { outOptions, print, showDocument } from './output.ts';

type Formats<Name extends string, T> = Readonly<Record<Name, Format<T>>>;

interface Outlets<Name extends string> extends Here, Context {
  /** Format of standard output. Without it, nothing is printed there. */
  readonly format?: Name | undefined;
  readonly report?: readonly string[] | undefined;
  /** False to omit the job summary of GitHub Actions. */
  readonly summary?: boolean;
}

export async function publish<T, Name extends string>(
  value: T,
  formats: Formats<Name | 'markdown', T>,
  { format, report, summary = true, ...view }: Outlets<Name>,
  io: Io,
): Promise<void> {
  const options = { color: false, width: io.width, digest: sha256, ...view };
  if (format !== undefined) print(await formats[format](value, { ...options, ...outOptions(io) }), io);
  const markdown = () => formats.markdown(value, { ...options, limit: MAX_TEXT });
  if (summary) await addToSummary(io, async () => [...(await markdown())].join(''));
  for (const { format: name, file } of readReports(report, formats)) {
    const { writeWhole } = await import('./write.ts');
    await writeWhole(file, await formats[name](value, options), io.cwd);
  }
}

interface ShowFlags extends Pick<Outlets<PlanFormat>, 'format' | 'report'> {
  readonly quiet?: boolean | undefined;
}

export async function showPlan(plan: Plan, flags: ShowFlags, io: Io, here: Here = {}): Promise<void> {
  const { format = 'human', report, quiet } = flags;
  // Reports come first: if one cannot be written, standard output gets only the document of the error.
  await publish(plan, PLAN_FORMATS, { report, ...here }, io);
  await publish(plan, PLAN_FORMATS, { format, summary: false, ...here }, io);
  if (format === 'diff') showDocument({ ...planDocument(plan, here), body: [], details: [] }, io);
  // These formats do not list unset secrets, so they are listed on standard error.
  const missing = neededNames(plan, here, true);
  if (missing.length > 0 && !quiet && ['json', 'gitlab', 'diff'].includes(format)) {
    io.err(`${SECRETS_NEEDED} and that are not set here: ${joinShortenedTexts(missing)}.\n`);
  }
}

/**
 * Throws `usage` for an invalid `--report`, a file that would be written twice, and a file that is an input.
 * Throws `file-failed` for a link that leads outside.
 */
export async function checkOutputs(
  { report, out }: Pick<AnyFlags, 'report' | 'out'>,
  read: readonly { readonly path: string }[],
  formats: object,
  { cwd }: Pick<Io, 'cwd'>,
): Promise<void> {
  const reports = readReports(report, formats).map(({ file }) => file);
  const sources = new Set(read.map(({ path }) => realPath(resolve(cwd, path))));
  const written = new Set<string>();
  for (const file of [out ?? [], reports].flat()) {
    const path = resolve(cwd, file);
    if (written.has(path)) {
      throw usageError(`${file} would be written twice.`, 'Use a different file for each output.');
    }
    written.add(path);
    if (sources.has(realPath(path))) {
      throw usageError(`${file} is an input of the plan and would be overwritten.`, 'Name another file.');
    }
    await placeToWrite(path, cwd);
  }
}

const ENDINGS: Readonly<Record<string, string>> = { '.html': 'html', '.md': 'markdown', '.json': 'json' };

function readReports<Name extends string>(values: readonly string[] = [], formats: { [_ in Name]: unknown }) {
  const isFormat = (text: string): text is Name => Object.hasOwn(formats, text);
  return values.map((value) => {
    const byEnding = ENDINGS[extname(value).toLowerCase()] ?? '';
    const [, format = byEnding, file = value] = /^([a-z]+)=(.+)$/.exec(value) ?? [];
    if (!isFormat(format)) {
      const names = Object.keys(formats).join(', ');
      const ways = `FORMAT=FILE, with one of ${names}, or a FILE that ends in .html, .md or .json.`;
      throw unfit('--report', value, `Write ${ways}`);
    }
    if (file === '-') throw unfit('--report', value, 'Name a file. For a file called "-", write ./-.');
    return { format, file };
  });
}

/** Bytes. GitHub shows no larger job summary. One text may be a quarter of a summary. */
const [MAX_SUMMARY, MAX_TEXT] = [1024 * 1024, 256 * 1024];

/** Appends to the job summary of GitHub Actions, if there is one. */
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
    err(`The step summary was not written: ${reasonOf(error)}.\n`);
  }
}
