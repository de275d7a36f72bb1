/** What an import took and skipped, for a person and for a program. */
import { IMPORT_FORMAT, type ImportReport, type ListColumns } from '../model/import-report.ts';
import { quoted } from '../model/next-command.ts';
import { jsonDocument } from './json.ts';
import { doubtfulLines, probeDocument, summaryLine } from './probe.ts';
import { prose, safe } from './sanitize.ts';
import { skippedBlocks, skippedCount } from './skipped.ts';
import { count, type RenderOptions, textOf } from './text.ts';

/** The skipped lines by reason, what is to be acted on first, then the counts. */
export function importReportHuman(report: ImportReport, options: RenderOptions): string {
  const { skipped, unknownColumns, doubtfulColumns, into, added, written, refused, probed } = report;
  const what =
    added === 0 ? 'Nothing to add' : `${written ? 'Added' : 'Would add'} ${count(added, 'website')}`;
  return textOf([
    ...skippedBlocks(skipped, options),
    unknownColumns.map((columns) => columnsLine(columns, 'ignored columns')),
    doubtfulColumns.flatMap((columns) => [columnsLine(columns, 'used as settings'), ignoreLine(columns)]),
    ...(probed === undefined ? [] : [doubtfulLines(probed), [`Probed ${summaryLine(probed)}`]]),
    [
      ...skippedCount(skipped),
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
    ...(report.probed && { probe: probeDocument({ results: report.probed, skipped: [] }) }),
  });
}
