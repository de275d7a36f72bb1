/** What an update of files took over from the service, and what it left. */
import type { Place } from '../../model/errors.ts';
import type { FieldName } from '../../model/field-table.ts';
import { prose, safeDomain } from '../sanitize.ts';
import { count, limited, pageOf, type RenderOptions, textOf } from '../text.ts';

/** So many lines a part are shown, the rest is counted. */
const SHOWN = 50;

export interface AcceptedRecord {
  readonly domain: string;
  readonly source: Place;
  /** The settings that were written. */
  readonly fields: readonly FieldName[];
  readonly refused: readonly { readonly field?: FieldName; readonly reason: string }[];
}

export interface AcceptedReport {
  readonly records: readonly AcceptedRecord[];
  readonly into: string;
  /** Whether the file is only compared. */
  readonly check: boolean;
  readonly complete: boolean;
}

export function acceptedHuman(report: AcceptedReport, options: RenderOptions): string {
  const { style } = pageOf(options);
  const part = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0
      ? []
      : [style.strong(title), ...limited(lines, SHOWN, 'line', (line) => line).map((line) => `  ${line}`)];
  const written = report.records.filter(({ fields }) => fields.length > 0);
  return textOf([
    part(report.check ? 'To update:' : 'Updated:', written.map(writtenLine)),
    part('Not updated:', report.records.flatMap(refusedLines)),
    [
      ...(report.complete ? [] : ['The service may not have returned all of its records.']),
      summary(report, written.length),
    ],
  ]);
}

function summary({ into, check }: AcceptedReport, written: number): string {
  if (written === 0) return `Nothing to update in ${prose(into)}.`;
  return `${check ? 'Would update' : 'Updated'} ${count(written, 'website')} in ${prose(into)}.`;
}

function writtenLine({ domain, source, fields }: AcceptedRecord): string {
  return `${safeDomain(domain)}: ${fields.join(', ')} ${placeOf(source)}`;
}

function refusedLines({ domain, source, refused }: AcceptedRecord): string[] {
  return refused.map(
    ({ field, reason }) =>
      `${safeDomain(domain)}:${field === undefined ? '' : ` ${field}`} ${prose(reason)} ${placeOf(source)}`,
  );
}

function placeOf({ file, line }: Place): string {
  return `(${prose(`${file}:${line}`)})`;
}
