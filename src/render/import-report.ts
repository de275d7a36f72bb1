/** What an import took and skipped, for a person and for a program. */
import {
  IMPORT_FORMAT,
  type ImportReport,
  type ListColumns,
  SKIP_REASONS,
  type Skipped,
  type SkipReason,
} from '../model/import-report.ts';
import { quoted } from '../model/next-command.ts';
import { jsonDocument } from './json.ts';
import { prose, safe, safeDomain } from './sanitize.ts';
import { count, limited, pageOf, type RenderOptions, textOf } from './text.ts';

/** So many lines of a reason are shown, the rest is counted. */
const SHOWN = 20;

/** The skipped lines by reason, what is to be acted on first, then the counts. */
export function importReportHuman(report: ImportReport, options: RenderOptions): string {
  const { style } = pageOf(options);
  const { skipped, unknownColumns, doubtfulColumns, into, added, written, refused } = report;
  const what =
    added === 0 ? 'Nothing to add' : `${written ? 'Added' : 'Would add'} ${count(added, 'website')}`;
  return textOf([
    ...byReason(skipped).map(([reason, lines]) => reasonLines(reason, lines, style.strong)),
    unknownColumns.map((columns) => columnsLine(columns, 'ignored columns')),
    doubtfulColumns.flatMap((columns) => [columnsLine(columns, 'used as settings'), ignoreLine(columns)]),
    [
      ...(skipped.length === 0 ? [] : [`Skipped ${count(skipped.length, 'line')}: ${countsOf(skipped)}.`]),
      `${what} to ${prose(into)}.`,
      ...(refused ? ['Nothing was written: with --strict, no line may be skipped.'] : []),
    ],
  ]);
}

/** The very flags that leave out columns that mean something else. */
function ignoreLine({ names }: ListColumns): string {
  const flags = names.map((name) => `--map ${quoted(`${prose(name)}=`)}`);
  return `  To ignore ${names.length === 1 ? 'it' : 'them'}, add ${flags.join(' ')}.`;
}

function columnsLine({ file, names }: ListColumns, what: string): string {
  return `${prose(file)}: ${what}: ${names.map((name) => safe(name)).join(', ')}`;
}

function byReason(skipped: readonly Skipped[]): (readonly [SkipReason, readonly Skipped[]])[] {
  const reasons = Object.keys(SKIP_REASONS) as SkipReason[];
  return reasons
    .map((reason) => [reason, skipped.filter((one) => one.reason === reason)] as const)
    .filter(([, lines]) => lines.length > 0);
}

function reasonLines(
  reason: SkipReason,
  lines: readonly Skipped[],
  strong: (text: string) => string,
): string[] {
  const words = SKIP_REASONS[reason];
  return [
    strong(`${words.charAt(0).toUpperCase()}${words.slice(1)}:`),
    ...limited(lines, SHOWN, 'line', (one) => `  ${skippedLine(one, strong)}`),
  ];
}

function skippedLine({ place, subject, message }: Skipped, strong: (text: string) => string): string {
  const where = strong(prose(`${place.file}:${place.line}`));
  return `${where}: ${subject === '' ? '' : `${safeDomain(subject)}: `}${prose(message)}`;
}

/** `2 duplicate, 1 IP address`. */
function countsOf(skipped: readonly Skipped[]): string {
  return byReason(skipped)
    .map(([reason, lines]) => `${lines.length} ${SKIP_REASONS[reason]}`)
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
