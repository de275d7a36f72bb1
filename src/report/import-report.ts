/** What an import took and skipped, for a person and for a program. */
import {
  IMPORT_FORMAT,
  type ImportReport,
  type ListColumns,
  type Reading,
  SKIP_REASONS,
  type Skipped,
  type SkipReason,
  type Unchecked,
} from '../model/import-report.ts';
import { quoted } from '../model/next-command.ts';
import { jsonDocument } from './json.ts';
import { prose, safe, safeDomain } from './sanitize.ts';
import { count, moreLine, pageOf, type RenderOptions, textOf } from './text.ts';

const MAX_SHOWN = 20;

/** The skipped lines by reason, what is to be acted on first, then the counts. */
export function importReportHuman(report: ImportReport, options: RenderOptions): string {
  const {
    skipped,
    readings,
    unknownColumns,
    doubtfulColumns,
    into,
    added,
    written,
    refused,
    notChecked = [],
  } = report;
  const what =
    added === 0 ? 'Nothing to add' : `${written ? 'Added' : 'Would add'} ${count(added, 'website')}`;
  const { strong } = pageOf(options).style;
  return textOf([
    skipped.length === 0 ? [] : [`Skipped ${count(skipped.length, 'line')}: ${countsOf(skipped)}.`],
    ...byReason(skipped).map(([reason, lines]) => linesBlock(SKIP_REASONS[reason], lines, strong)),
    ...(notChecked.length > 0 ? [linesBlock('not checked in DNS', notChecked, strong)] : []),
    [
      ...unknownColumns.map((columns) => columnsLine(columns, 'ignored columns')),
      ...readings.flatMap(misnamedLines),
    ],
    doubtfulColumns.flatMap((columns) => [columnsLine(columns, 'used as settings'), ignoreLine(columns)]),
    [
      ...readings.flatMap(readingLines),
      ...(readings.some(isOtherwiseNamed) ? ['  To read another column, add --map "COLUMN=KEY".'] : []),
    ],
    [
      `${what} to ${prose(into)}.`,
      ...(refused ? ['Nothing was written: with --strict, no line may be skipped.'] : []),
      ...nextLines(report),
    ],
  ]);
}

function byReason(skipped: readonly Skipped[]): (readonly [SkipReason, readonly Skipped[]])[] {
  const reasons = Object.keys(SKIP_REASONS) as SkipReason[];
  return reasons
    .map((reason) => [reason, skipped.filter((one) => one.reason === reason)] as const)
    .filter(([, lines]) => lines.length > 0);
}

/** The lines that are skipped for a reason: those that differ in their places alone are one, with their number. */
function linesBlock(
  heading: string,
  lines: readonly (Unchecked | Skipped)[],
  strong: (text: string) => string,
): string[] {
  const alike = new Map<string, Unchecked[]>();
  for (const line of lines) {
    const key = JSON.stringify([isInvalid(line) ? '' : line.subject, line.message]);
    const same = alike.get(key);
    if (same === undefined) alike.set(key, [line]);
    else same.push(line);
  }
  const groups = [...alike.values()].sort((a, b) => b.length - a.length);
  const left = groups.slice(MAX_SHOWN).flat().length;
  return [
    strong(`${heading.charAt(0).toUpperCase()}${heading.slice(1)}:`),
    ...groups.slice(0, MAX_SHOWN).map((group) => `  ${groupText(group, strong)}`),
    ...moreLine(left, 'line'),
  ];
}

/** What is wrong with a row is mostly a value, whatever the domain. */
function isInvalid(line: Unchecked | Skipped): boolean {
  return 'reason' in line && line.reason === 'invalid';
}

function groupText(
  [line, ...others]: readonly (Unchecked | Skipped)[],
  strong: (text: string) => string,
): string {
  if (line === undefined) return '';
  const { place, subject, message } = line;
  const where = strong(prose(`${place.file}:${place.line}`));
  const isNamed = subject !== '' && (others.length === 0 || !isInvalid(line));
  const what = `${isNamed ? `${safeDomain(subject)}: ` : ''}${prose(message)}`;
  return others.length === 0 ? `${where}: ${what}` : `${others.length + 1} × ${what}, first in ${where}`;
}

function countsOf(skipped: readonly Skipped[]): string {
  return byReason(skipped)
    .map(([reason, lines]) => `${lines.length} ${SKIP_REASONS[reason]}`)
    .join(', ');
}

function nextLines({ next, unset }: ImportReport): string[] {
  if (next === null) return [];
  return [`Next: ${unset === undefined ? '' : `${unset}, then: `}${next}`];
}

/** Whether a column is not called as the key that it was read as. */
function isOtherwiseNamed({ taken }: Reading): boolean {
  return taken.some(({ column, key }) => column !== key);
}

/** What a list was taken for, unless that is what it says itself. */
function readingLines(reading: Reading): string[] {
  const { list, taken, header, encoding } = reading;
  const columns = isOtherwiseNamed(reading) ? taken : [];
  const told = [
    ...(encoding === undefined ? [] : [`read as ${encoding}, since it is not UTF-8`]),
    ...(header === undefined ? [] : [`skipped what is above the header in line ${header}`]),
    ...(list === undefined ? [] : [`read the list ${safe(list)}`]),
    ...(columns.length === 0 ? [] : [`read ${columns.map(readAs).join(', ')}`]),
  ];
  return told.map((text) => `${prose(reading.file)}: ${text}`);
}

function readAs({ column, key }: Reading['taken'][number]): string {
  return `${JSON.stringify(safe(column))} as ${key}`;
}

const MAX_VALUES = 5;

/** Why a column with the name of a setting is among those that are ignored, and the flag that says otherwise. */
function misnamedLines({ misnamed }: Reading): string[] {
  return misnamed.flatMap(({ column, key, expected, values }) => {
    const shown = values.map(({ value, count: times }) => `${JSON.stringify(safe(value))} ${times} ×`);
    const more = shown.length > MAX_VALUES ? [`${shown.length - MAX_VALUES} other values`] : [];
    return [
      `  ${safe(column)}: ${[...shown.slice(0, MAX_VALUES), ...more].join(', ')}`,
      `    ${key} ${prose(expected)}. To read the column anyway, add --map ${quoted(`${prose(column)}=${key}`)}.`,
    ];
  });
}

/** The very flags that leave out columns that mean something else. */
function ignoreLine({ names }: ListColumns): string {
  const flags = names.map((name) => `--map ${quoted(`${prose(name)}=`)}`);
  return `  To ignore ${names.length === 1 ? 'it' : 'them'}, add ${flags.join(' ')}.`;
}

function columnsLine({ file, names }: ListColumns, what: string): string {
  return `${prose(file)}: ${what}: ${names.map((name) => safe(name)).join(', ')}`;
}

export function importReportJson(report: ImportReport): string {
  const { into, written, added, skipped, readings, notChecked, next } = report;
  return jsonDocument({
    format: IMPORT_FORMAT,
    into,
    written,
    summary: { added, skipped: skipped.length },
    skipped: skipped.map(({ place, reason, subject, message }) => ({ ...place, reason, subject, message })),
    columns: readings.flatMap(({ file, taken }) =>
      taken.map(({ column, key }) => ({ file, name: column, key })),
    ),
    lists: readings.flatMap(({ file, list }) => (list === undefined ? [] : [{ file, list }])),
    unknown_columns: report.unknownColumns,
    doubtful_columns: report.doubtfulColumns,
    ...(notChecked && { not_checked: notChecked.map(({ place, ...why }) => ({ ...place, ...why })) }),
    next,
  });
}
