/** The changes of a plan, by risk: what is alike stands together, and all of it is in the page. */
import type { Change } from '../../model/change.ts';
import type { Plan } from '../../model/plan.ts';
import { RISK_LEVELS, type RiskLevel } from '../../model/risk.ts';
import { causeText } from '../change-human.ts';
import { fieldsOf, type Group, groupChanges } from '../groups.ts';
import { placeText } from '../heading.ts';
import { originText } from '../origin.ts';
import { safeDomain, safeId } from '../sanitize.ts';
import { count, some } from '../text.ts';
import { alongsideRows, changeRows, pieceText, type ValueRow, WHOLE } from '../values.ts';
import { PLANNED, type Wording } from '../wording.ts';
import { type Html, html, raw } from './markup.ts';
import { SIGNS } from './signs.ts';

/** Up to this many changes, everything is open; of more, the single ones of critical and high risk. */
const FEW = 50;

/** A section for each level of risk; nothing where there is no change. */
export function changeList({ changes }: Plan, wording: Wording): Html {
  if (changes.length === 0) return raw('');
  const groups = groupChanges(changes);
  const isOpen = changes.length <= FEW;
  const sections = RISK_LEVELS.map((level) => {
    const own = groups.filter(({ changes: [first] }) => first.risk.level === level);
    return own.length === 0 ? raw('') : section(level, own, isOpen, wording);
  });
  return html`<div class="search" hidden><input type="search" placeholder="Search domains, settings, files" aria-label="Search changes"></div>
${sections}`;
}

function section(level: RiskLevel, groups: readonly Group[], isOpen: boolean, wording: Wording): Html {
  const total = groups.reduce((sum, { changes }) => sum + changes.length, 0);
  const isDrift = wording !== PLANNED;
  const routine = isDrift ? 'Differences' : 'Routine';
  const title = level === 'low' ? routine : `${level[0]?.toUpperCase()}${level.slice(1)} risk`;
  const isGrave = level === 'critical' || level === 'high';
  return html`<details${isOpen || isGrave ? raw(' open') : ''}><summary><h2 class="${level}">${title}: ${count(total, isDrift ? 'record' : 'change')}</h2></summary>
<ul class="changes">
${groups.map((group) => entry(group, isOpen, wording))}</ul></details>
`;
}

function entry(group: Group, isOpen: boolean, wording: Wording): Html {
  const { changes, differing } = group;
  const [first] = changes;
  if (changes.length === 1) {
    return html`<li><div class="row">${action(first, wording)}${name(first)}${told(first, rowsOf(first, wording), wording)}${place(first)}</div></li>
`;
  }
  const rows = rowsOf(first, wording).map((row) =>
    differing.has(row.field)
      ? {
          ...row,
          label: row.field,
          pieces: [{ tone: 'dim' as const, text: 'differs from record to record' }],
        }
      : row,
  );
  const own = (change: Change): Html =>
    differing.size === 0 ? html`<span></span>` : html`<div>${valueRows(rowsOf(change, wording))}</div>`;
  const files = [...new Set(changes.flatMap(({ source }) => source?.file ?? []))];
  return html`<li><details${isOpen ? raw(' open') : ''}><summary class="row">${action(first, wording)}<span class="name">${count(changes.length, 'record')}</span>${told(first, rows, wording)}<span class="place mono">${some(files, String, 2)}</span></summary><ul>
${changes.map((change) => html`<li><div class="row"><span></span>${name(change)}${own(change)}${place(change)}</div></li>\n`)}</ul></details></li>
`;
}

function action({ action }: Change, { one }: Wording): Html {
  return html`<span class="${action}">${SIGNS[action]} ${one[action]}</span>`;
}

function name(change: Change): Html {
  const id = 'id' in change ? html` <span class="id">${safeId(change.id)}</span>` : '';
  return html`<span class="mono">${safeDomain(change.domain)}${id}</span>`;
}

function place({ source }: Change): Html {
  return html`<span class="place mono">${placeText(source)}</span>`;
}

/** Why it is a risk, whose change it is, what changes, why, and what else is to be known. */
function told(change: Change, rows: readonly ValueRow[], wording: Wording): Html {
  const { level, reason } = change.risk;
  const cause = causeText(change, wording);
  const lines = [originText(change), cause === '' ? '' : `because ${cause}`, ...change.notes];
  const risk = level === 'low' ? '' : html`<p class="${level}">${reason}</p>`;
  return html`<div>${risk}${valueRows(rows)}${lines.filter((line) => line !== '').map((line) => html`<p class="why">${line}</p>`)}</div>`;
}

function rowsOf(change: Change, { drawing }: Wording): ValueRow[] {
  return [...changeRows(fieldsOf(change), WHOLE, drawing), ...alongsideRows(change, WHOLE)];
}

function valueRows(rows: readonly ValueRow[]): readonly Html[] {
  return rows.map(({ label, pieces }) => {
    const drawn = pieces.map((piece) => html` <span class="${piece.tone}">${pieceText(piece)}</span>`);
    return html`<p class="mono"><span class="dim">${label}</span>${drawn}</p>`;
  });
}
