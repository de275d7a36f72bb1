import type { FieldName } from '../../model/field-table.ts';
import { isSecretRef } from '../../model/secret.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import { groupBy } from '../../util/group-by.ts';
import { placeText, valueText } from '../changes.ts';
import { type Document, headlined, listOf } from '../document.ts';
import {
  count,
  joinShortenedTexts,
  joinTexts,
  prose,
  safe,
  safeDomain,
  safeId,
  say,
  type Text,
} from '../sanitize.ts';
import { linedUp } from '../text.ts';
import type { Exported, ExportedWebsite } from './export.ts';

export interface ExportDestination {
  readonly out?: string | undefined;
  /** True if records are added to existing files. */
  readonly isAdded?: boolean;
  readonly check?: boolean | undefined;
}

export function exportDocument(exported: Exported, destination: ExportDestination): Document {
  const { websites, unlisted, duplicates, hidden, declared } = exported;
  const { out, isAdded = false, check = false } = destination;
  const where = out && say` to ${prose(out)}`;
  const what = count(websites.length, 'website');
  const headline = isAdded
    ? say`${check ? 'Would add' : 'Added'} ${what}${where}. Already declared: ${declared}`
    : say`Exported ${what}${where}`;
  const ignored = isAdded ? [] : unlisted.filter(({ pattern }) => pattern !== undefined);
  const others = unlisted.filter((one) => !ignored.includes(one));
  const settings = websites.flatMap(({ domain, undeclared }) =>
    undeclared.map(({ field, value, reason }) => {
      const shown = value !== undefined && say` (${valueText(field, value)})`;
      return say`${safeDomain(domain)}: ${field}${shown}${reason.startsWith('"') && ':'} ${prose(reason)}`;
    }),
  );
  return {
    ...headlined(headline),
    body: [
      listOf(
        'Passwords cannot be read from the service. Set these environment variables before you apply',
        passwordTexts(websites),
      ),
      listOf('Settings not exported', settings),
      listOf('Never returned by the service, so not in the file', [namesOf(hidden)]),
      listOf(
        'Added to "ignore", because a file cannot declare the domain',
        ignored.map(({ domain, reason, pattern = '' }) => {
          return say`${safeDomain(domain)} as ${safeDomain(pattern)}: ${prose(reason)}`;
        }),
      ),
      listOf(
        'Not in the file, so --prune would delete these',
        others.map(({ domain, reason }) => say`${safeDomain(domain)}: ${prose(reason)}`),
      ),
      listOf(
        'Several records have the same domain. The file has the first',
        duplicates.map(({ domain, ids }) => say`${safeDomain(domain)}  ${joinTexts(ids.map(safeId))}`),
      ),
    ],
  };
}

function passwordTexts(websites: readonly ExportedWebsite[]): Text[] {
  const rows = websites.flatMap(({ domain, settings: { password } }) =>
    isSecretRef(password) && 'env' in password ? [[safe(password.env), safeDomain(domain)]] : [],
  );
  return linedUp(rows);
}

function namesOf(fields: readonly FieldName[]): Text {
  return joinTexts(fields.map((name) => say`${name}`));
}

interface AcceptedReport {
  readonly accepted: readonly { readonly desired: DesiredWebsite; readonly field: FieldName }[];
  readonly refused: readonly {
    readonly desired: DesiredWebsite;
    readonly field?: FieldName;
    readonly reason: string;
  }[];
  /** Domains that differ, with the other file that declares them. */
  readonly others: readonly { readonly file: string; readonly domain: string }[];
  readonly into: string;
  readonly check: boolean;
  readonly complete: boolean;
}

export function acceptedDocument(report: AcceptedReport): Document {
  const { accepted, refused, others, into, check, complete } = report;
  const textOf = ({ domain, source }: DesiredWebsite, text: Text): Text =>
    say`${safeDomain(domain)}: ${text} (${placeText(source)})`;
  const updated = groupBy(accepted, ({ desired }) => desired).map(([desired, own]) =>
    textOf(desired, namesOf(own.map(({ field }) => field))),
  );
  const left = refused.map(({ desired, field, reason }) =>
    textOf(desired, say`${field && say`${field} `}${prose(reason)}`),
  );
  const elsewhere = groupBy(others, ({ file }) => file).map(([file, own]) => {
    const domains = new Set(own.map(({ domain }) => domain));
    return say`${prose(file)}: ${joinShortenedTexts([...domains].map(safeDomain))}`;
  });
  const what = say`${check ? 'Would update' : 'Updated'} ${count(updated.length, 'website')}`;
  const incomplete = say`The service may not have returned all of its records. Run "websites doctor" to see why.`;
  return {
    ...headlined(say`${updated.length === 0 ? 'Nothing to update' : what} in ${prose(into)}`, [
      !complete && incomplete,
    ]),
    body: [
      listOf(check ? 'To update' : 'Updated', updated),
      listOf('Not updated. Edit these in the file', left),
      listOf('In other files. Update each with --into', elsewhere),
    ],
  };
}
