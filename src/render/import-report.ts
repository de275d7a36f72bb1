/** What an import took and skipped, for a person and for a program. */
import {
  IMPORT_FORMAT,
  type ImportReport,
  type ListColumns,
  SKIP_REASONS,
  type Skipped,
} from '../model/import-report.ts';
import { jsonDocument } from './json.ts';
import { prose, safe, safeDomain } from './sanitize.ts';
import { count, pageOf, type RenderOptions, textOf } from './text.ts';

/** So many lines are shown, the rest is counted. */
const SHOWN = 50;

/** Each skipped line with its reason, then the counts. */
export function importReportHuman(report: ImportReport, options: RenderOptions): string {
  const { style } = pageOf(options);
  const { skipped, unknownColumns, doubtfulColumns, into, added, written, refused } = report;
  const what =
    added === 0 ? 'Nothing to add' : `${written ? 'Added' : 'Would add'} ${count(added, 'website')}`;
  return textOf([
    [
      ...foremost(skipped).map((one) => skippedLine(one, style.strong)),
      ...(skipped.length > SHOWN
        ? [`… and ${count(skipped.length - SHOWN, 'more line')}; --format json tells all`]
        : []),
    ],
    unknownColumns.map((columns) => columnsLine(columns, 'not taken')),
    doubtfulColumns.flatMap((columns) => [columnsLine(columns, 'taken for settings'), LEAVE_OUT]),
    [
      ...(skipped.length === 0 ? [] : [`Skipped ${count(skipped.length, 'line')}: ${countsOf(skipped)}.`]),
      `${what} to ${prose(into)}.`,
      ...(refused ? ['Nothing was written: with --strict, no line may be skipped.'] : []),
    ],
  ]);
}

const LEAVE_OUT = '  --map "COLUMN=" leaves a column out that means something else.';

function columnsLine({ file, names }: ListColumns, what: string): string {
  return `${prose(file)}: ${what}: ${names.map((name) => safe(name)).join(', ')}`;
}

/** Those that are shown: of too many, what is there already comes last, as in a list that was mended and tried again. */
function foremost(skipped: readonly Skipped[]): readonly Skipped[] {
  if (skipped.length <= SHOWN) return skipped;
  const isThere = ({ reason }: Skipped): boolean => reason === 'declared';
  return [...skipped.filter((one) => !isThere(one)), ...skipped.filter(isThere)].slice(0, SHOWN);
}

function skippedLine({ place, subject, message }: Skipped, strong: (text: string) => string): string {
  const where = strong(prose(`${place.file}:${place.line}`));
  return `${where}: ${subject === '' ? '' : `${safeDomain(subject)}: `}${prose(message)}`;
}

/** `duplicate 2, IP address 1`. */
function countsOf(skipped: readonly Skipped[]): string {
  return Object.entries(SKIP_REASONS)
    .map(([reason, words]) => ({ words, count: skipped.filter((one) => one.reason === reason).length }))
    .filter((part) => part.count > 0)
    .map((part) => `${part.words} ${part.count}`)
    .join(', ');
}

/** The document `websites.import/1`. */
export function importReportJson(report: ImportReport): string {
  const { into, written, added, skipped } = report;
  return jsonDocument({
    format: IMPORT_FORMAT,
    into,
    written,
    summary: { added, skipped: skipped.length },
    skipped: skipped.map(({ place, reason, subject, message }) => ({ ...place, reason, subject, message })),
    unknown_columns: report.unknownColumns,
    doubtful_columns: report.doubtfulColumns,
  });
}
