/** What an export left out or could not know, and what an update took over, for the person who takes over the file. */
import type { Place } from '../../model/errors.ts';
import type { Accepted } from '../../planner/accept.ts';
import { valueText } from '../changes.ts';
import { prose, safe, safeDomain } from '../sanitize.ts';
import { count, limited, pad, pageOf, type RenderOptions, textOf, widestOf } from '../text.ts';
import type { Exported, Undeclared } from './export.ts';
import type { Differing, Missing } from './missing.ts';

const SHOWN = 50;

export interface ExportDestination {
  /** The file that the records went to, if it was one. */
  readonly out?: string | undefined;
  readonly hasIgnore: boolean;
  readonly check?: boolean;
  /** What was there already, where the records were added to others. */
  readonly there?: Omit<Missing, 'exported'>;
}

export function exportReportHuman(
  { websites, report }: Exported,
  { out, hasIgnore, there, check = false }: ExportDestination,
  options: RenderOptions,
): string {
  const part = partsOf(options);
  const { placeholders, unlisted } = report;
  const width = widestOf(placeholders.slice(0, SHOWN).map(({ variable }) => variable));
  const ignored = unlisted.filter(({ pattern }) => hasIgnore && pattern !== undefined);
  const orphans = unlisted.filter(({ pattern }) => !hasIgnore || pattern === undefined);
  return textOf([
    part(
      'Passwords cannot be read back. Set these variables before you apply:',
      placeholders,
      ({ domain, variable }) => `${pad(variable, width)}  ${safeDomain(domain)}`,
    ),
    part('Left undeclared:', report.undeclared, undeclaredLine),
    part(
      'Never returned by the service, so not in the file:',
      report.hidden.length === 0 ? [] : [report.hidden],
      (names) => names.join(', '),
    ),
    part(
      'Under "ignore", because a file cannot list the domain:',
      ignored,
      ({ domain, reason, pattern = '' }) =>
        `${safeDomain(domain)} as ${safeDomain(pattern)}: ${prose(reason)}`,
    ),
    part(
      'Not in the file, and prune would delete these:',
      orphans,
      ({ domain, reason }) => `${safeDomain(domain)}: ${prose(reason)}`,
    ),
    part(
      'Several records with one domain; the first is listed:',
      report.duplicates,
      ({ domain, ids }) => `${safeDomain(domain)}  #${ids.map((id) => safe(id)).join(', #')}`,
    ),
    part('Declared with other values, and not changed:', there?.differing ?? [], differingLine),
    [summaryLine(websites.length, out, there?.declared, check)],
  ]);
}

function partsOf(options: RenderOptions) {
  const { style } = pageOf(options);
  return <T>(title: string, items: readonly T[], line: (item: T) => string): string[] =>
    items.length === 0
      ? []
      : [style.strong(title), ...limited(items, SHOWN, 'line', line).map((text) => `  ${text}`)];
}

function summaryLine(
  written: number,
  out: string | undefined,
  declared: number | undefined,
  check: boolean,
): string {
  const where = out === undefined ? '' : ` to ${prose(out)}`;
  return declared === undefined
    ? `Exported ${count(written, 'website')}${where}.`
    : `${check ? 'Would add' : 'Added'} ${count(written, 'website')}${where}; already declared: ${declared}.`;
}

function differingLine({ domain, source, fields }: Differing): string {
  const what = fields.length === 0 ? 'state: absent' : fields.join(', ');
  return `${safeDomain(domain)}: ${what} ${placeOf(source)}`;
}

function undeclaredLine({ domain, field, value, reason }: Undeclared): string {
  const shown = value === undefined ? '' : ` (${valueText(field, value)})`;
  const colon = reason.startsWith('"') ? ':' : '';
  return `${safeDomain(domain)}: ${field}${shown}${colon} ${prose(reason)}`;
}

interface AcceptedReport {
  readonly records: readonly Accepted[];
  readonly into: string;
  readonly check: boolean;
  readonly complete: boolean;
}

export function acceptedHuman(report: AcceptedReport, options: RenderOptions): string {
  const { records, into, check, complete } = report;
  const part = partsOf(options);
  const written = records.filter(({ values }) => values.length > 0);
  const what = `${check ? 'Would update' : 'Updated'} ${count(written.length, 'website')}`;
  return textOf([
    part(check ? 'To update:' : 'Updated:', written, writtenLine),
    part('Not updated:', records.flatMap(refusedLines), (line) => line),
    [
      ...(complete ? [] : ['The service may not have returned all of its records.']),
      `${written.length === 0 ? 'Nothing to update' : what} in ${prose(into)}.`,
    ],
  ]);
}

function writtenLine({ desired: { domain, source }, values }: Accepted): string {
  return `${safeDomain(domain)}: ${values.map(({ field }) => field).join(', ')} ${placeOf(source)}`;
}

function refusedLines({ desired: { domain, source }, refused }: Accepted): string[] {
  return refused.map(
    ({ field, reason }) =>
      `${safeDomain(domain)}:${field === undefined ? '' : ` ${field}`} ${prose(reason)} ${placeOf(source)}`,
  );
}

function placeOf({ file, line }: Place): string {
  return `(${prose(`${file}:${line}`)})`;
}
