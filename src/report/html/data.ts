/** What the page's script is given of a plan: texts that are safe already, each edit once. */
import { ACTIONS, type Action, type Change } from '../../model/change.ts';
import { FIELD_NAMES, type FieldName, type Settings } from '../../model/field-table.ts';
import { RISK_LEVELS, type RiskLevel } from '../../model/risk.ts';
import { causeText } from '../change-human.ts';
import { fieldsOf, type Group, numbering } from '../groups.ts';
import { originText } from '../origin.ts';
import { leading, prose, safe, safeDomain, safeId, safeJson } from '../sanitize.ts';
import { alongsideRows, changeRows, type Piece, type ValueRow, valueText, WHOLE } from '../values.ts';
import { PLANNED, type Wording } from '../wording.ts';

export type PagePiece = readonly [tone: Piece['tone'], text: string];
export type PageRow = readonly [field: FieldName, label: string, pieces: readonly PagePiece[]];

/** `file`, `before` and `site` are indexes (-1: none); `rows` are there where they are not the group's. */
type PageChange = readonly [
  domain: string,
  id: string,
  file: number,
  before: number,
  line: number,
  site: number,
  rows?: readonly PageRow[],
];

interface PageGroup {
  readonly action: Action;
  readonly risk: RiskLevel;
  readonly reason: string;
  readonly origin: string;
  readonly cause: string;
  readonly notes: readonly string[];
  readonly rows: readonly PageRow[];
  readonly changes: readonly PageChange[];
}

export interface PageData {
  readonly names: Readonly<Record<Action, string>>;
  readonly actions: readonly Action[];
  /** None of drift, of which nothing is a risk. */
  readonly risks: readonly RiskLevel[];
  readonly origins: readonly string[];
  /** The fields that some change has. */
  readonly fields: readonly FieldName[];
  /** Alike changes together. */
  readonly groups: readonly PageGroup[];
  /** The groups of websites that the files declare, of the changes. */
  readonly sites: readonly string[];
  readonly files: readonly string[];
  /** Settings before the change, as names and texts; many records share one. */
  readonly settings: readonly (readonly (readonly [name: FieldName, text: string])[])[];
}

export function pageData(groups: readonly Group[], wording: Wording): PageData {
  const files = createTable((file: string) => leading(file));
  const settings = createTable((value: Settings) =>
    FIELD_NAMES.flatMap((name) => {
      const shown = value[name];
      return shown === undefined ? [] : [[name, valueText(name, shown, WHOLE)] as const];
    }),
  );
  const sites = createTable((name: string) => safe(name));
  const pageGroups = groups.map((group) =>
    pageGroup(group, wording, files.indexOf, settings.indexOf, sites.indexOf),
  );
  const used = new Set(pageGroups.flatMap(({ rows }) => rows.map(([field]) => field)));
  return {
    names: wording.one,
    actions: ACTIONS.filter((action) => pageGroups.some((group) => group.action === action)),
    risks:
      wording !== PLANNED ? [] : RISK_LEVELS.filter((level) => pageGroups.some(({ risk }) => risk === level)),
    origins: [...new Set(pageGroups.map(({ origin }) => origin))].filter((origin) => origin !== ''),
    fields: FIELD_NAMES.filter((name) => used.has(name)),
    groups: pageGroups,
    sites: sites.entries,
    files: files.entries,
    settings: settings.entries,
  };
}

function pageGroup(
  group: Group,
  wording: Wording,
  fileIndex: (file: string) => number,
  settingsIndex: (settings: Settings) => number,
  siteIndex: (name: string) => number,
): PageGroup {
  const [first] = group.changes;
  return {
    action: first.action,
    risk: first.risk.level,
    reason: prose(first.risk.reason),
    origin: originText(first),
    cause: causeText(first, wording),
    notes: first.notes.map((note) => prose(note)),
    rows: groupRows(group, wording),
    changes: group.changes.map((change) => {
      const { source } = change;
      const file = source === undefined ? -1 : fileIndex(source.file);
      const settings = 'before' in change ? settingsIndex(change.before) : -1;
      const id = 'id' in change ? safeId(change.id) : '';
      const site = change.group === undefined ? -1 : siteIndex(change.group);
      const told = [safeDomain(change.domain), id, file, settings, source?.line ?? 0, site] as const;
      return group.differing.size === 0 ? told : [...told, rowsOf(change, wording).map(pageRow)];
    }),
  };
}

function groupRows({ changes: [first], differing }: Group, wording: Wording): PageRow[] {
  return rowsOf(first, wording).map((row) =>
    differing.has(row.field)
      ? [row.field, row.field, [['dim', 'differs from record to record']]]
      : pageRow(row),
  );
}

function rowsOf(change: Change, { drawing }: Wording): ValueRow[] {
  return [...changeRows(fieldsOf(change), WHOLE, drawing), ...alongsideRows(change, WHOLE)];
}

function pageRow({ field, label, pieces }: ValueRow): PageRow {
  return [field, label, pieces.map(({ tone, text }) => [tone, text])];
}

/** Numbers each different value; `entries` are what `make` made of them. */
function createTable<T, Entry>(make: (value: T) => Entry) {
  const entries: Entry[] = [];
  const numberOf = numbering((value: T) => JSON.stringify(make(value)));
  const indexOf = (value: T): number => {
    const index = numberOf(value);
    if (index === entries.length) entries.push(make(value));
    return index;
  };
  return { entries, indexOf };
}

/** JSON that can stand in a `script` element: nothing in it ends the element, or begins a comment. */
export function scriptJson(data: PageData): string {
  return safeJson(JSON.stringify(data)).replaceAll('<', '\\u003c');
}
