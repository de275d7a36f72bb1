import type { Place } from '../../model/errors.ts';
import type { FieldName } from '../../model/field-table.ts';
import type { Accepted } from '../../planner/accept.ts';
import { placeText, valueText } from '../changes.ts';
import type { Block, Document } from '../document.ts';
import { joinTexts, prose, safe, safeDomain, safeId, say, type Text } from '../sanitize.ts';
import { pad, widestOf } from '../text.ts';
import { count } from '../words.ts';
import type { Exported, Undeclared, Unlisted } from './export.ts';
import type { Missing } from './missing.ts';

export interface ExportDestination {
  readonly out?: string | undefined;
  readonly hasIgnore: boolean;
  readonly check?: boolean | undefined;
  /** Records that were already declared, if the export updated files. */
  readonly there?: Omit<Missing, 'exported'>;
}

export function exportDocument({ websites, report }: Exported, destination: ExportDestination): Document {
  const { hasIgnore, there } = destination;
  const { placeholders, unlisted, hidden } = report;
  const width = widestOf(placeholders.map(({ variable }) => variable));
  const isIgnored = ({ pattern }: Unlisted): boolean => hasIgnore && pattern !== undefined;
  const headline = exportedText(websites.length, destination);
  return {
    about: say`Websites export`,
    headline,
    body: [
      ...listOf(
        say`Passwords cannot be read from the service. Set these environment variables before you apply`,
        placeholders.map(({ domain, variable }) => say`${safe(pad(variable, width))}  ${safeDomain(domain)}`),
      ),
      ...listOf(say`Settings not exported`, report.undeclared.map(undeclaredText)),
      ...listOf(
        say`Never returned by the service, so not in the file`,
        hidden.length === 0 ? [] : [namesOf(hidden)],
      ),
      ...listOf(
        say`Added to "ignore", because a file cannot declare the domain`,
        unlisted
          .filter(isIgnored)
          .map(
            ({ domain, reason, pattern = '' }) =>
              say`${safeDomain(domain)} as ${safeDomain(pattern)}: ${prose(reason)}`,
          ),
      ),
      ...listOf(
        say`Not in the file, so --prune would delete these`,
        unlisted
          .filter((one) => !isIgnored(one))
          .map(({ domain, reason }) => say`${safeDomain(domain)}: ${prose(reason)}`),
      ),
      ...listOf(
        say`Several records have the same domain. The file has the first`,
        report.duplicates.map(
          ({ domain, ids }) => say`${safeDomain(domain)}  ${joinTexts(ids.map((id) => safeId(id)))}`,
        ),
      ),
      ...listOf(
        say`Declared with other values, and not changed`,
        (there?.differing ?? []).map(({ domain, source, fields }) =>
          recordText(domain, fields.length === 0 ? say`state: absent` : namesOf(fields), source),
        ),
      ),
    ],
    notices: [{ kind: 'messages', items: [{ tone: 'plain', text: say`${headline}.` }] }],
  };
}

function listOf(title: Text, items: readonly Text[]): Block[] {
  return items.length === 0 ? [] : [{ kind: 'list', tone: 'plain', title, items, noun: say`line` }];
}

function exportedText(written: number, { out, there, check = false }: ExportDestination): Text {
  const where = out === undefined ? say`` : say` to ${prose(out)}`;
  const websites = count(written, 'website');
  if (there === undefined) return say`Exported ${websites}${where}`;
  return say`${check ? 'Would add' : 'Added'} ${websites}${where}; already declared: ${there.declared}`;
}

function namesOf(fields: readonly FieldName[]): Text {
  return joinTexts(fields.map((name) => say`${name}`));
}

function recordText(domain: string, text: Text, source: Place): Text {
  return say`${safeDomain(domain)}: ${text} (${placeText(source)})`;
}

function undeclaredText({ domain, field, value, reason }: Undeclared): Text {
  const shown = value === undefined ? say`` : say` (${valueText(field, value)})`;
  return say`${safeDomain(domain)}: ${field}${shown}${reason.startsWith('"') ? ':' : ''} ${prose(reason)}`;
}

interface AcceptedReport {
  readonly records: readonly Pick<Accepted, 'desired' | 'values' | 'refused'>[];
  readonly into: string;
  readonly check: boolean;
  readonly complete: boolean;
}

export function acceptedDocument({ records, into, check, complete }: AcceptedReport): Document {
  const written = records.filter(({ values }) => values.length > 0);
  const what = say`${check ? 'Would update' : 'Updated'} ${count(written.length, 'website')}`;
  const refused = records.flatMap(({ desired: { domain, source }, refused: all }) =>
    all.map(({ field, reason }) => {
      const of = field === undefined ? say`` : say`${field} `;
      return recordText(domain, say`${of}${prose(reason)}`, source);
    }),
  );
  const headline = say`${written.length === 0 ? say`Nothing to update` : what} in ${prose(into)}`;
  const doubt = say`The service may not have returned all of its records. Run "websites doctor" to see why.`;
  const texts = [...(complete ? [] : [doubt]), say`${headline}.`];
  return {
    about: say`Websites export`,
    headline,
    notices: [{ kind: 'messages', items: texts.map((text) => ({ tone: 'plain', text })) }],
    body: [
      ...listOf(
        check ? say`To update` : say`Updated`,
        written.map(({ desired: { domain, source }, values }) => {
          const names = namesOf(values.map(({ field }) => field));
          return recordText(domain, names, source);
        }),
      ),
      ...listOf(say`Not updated. Edit these in the file`, refused),
    ],
  };
}
