/** The pane that shows everything about the selected row. */
import type { PagePiece, PageRow } from '../data.ts';
import { SIGNS } from '../signs.ts';
import { $, badge, el } from './elements.ts';
import type { ListRow } from './filter.ts';
import { data, plural } from './model.ts';

const PIECE_SIGNS = { plain: '', dim: '', add: '+ ', remove: '− ' };

export let isOpen = false;

/** Shows another row where the pane is open. */
export function showDetails(row: ListRow | undefined): void {
  if (!isOpen || row === undefined) return;
  const { action } = row.group;
  const close = el('button', 'button close', '×');
  close.type = 'button';
  close.setAttribute('aria-label', 'Close details');
  close.addEventListener('click', closeDetails);
  const what = el('div', `action ${action}`, el('span', 'sign', SIGNS[action]), data.names[action]);
  $('details').replaceChildren(el('header', '', what, close), ...detailParts(row));
  $('details').scrollTop = 0;
}

export function openDetails(row: ListRow): void {
  isOpen = true;
  $('details').hidden = false;
  $('panes').classList.add('opened');
  showDetails(row);
}

export function closeDetails(): void {
  isOpen = false;
  $('details').hidden = true;
  $('panes').classList.remove('opened');
  $('list').focus({ preventScroll: true });
}

function detailParts(row: ListRow): Node[] {
  const { group, item } = row;
  const title = item ? item.domain : plural(row.items.length, 'record');
  const place = item ? told([item.id, item.place]).join('  ') : 'the same edit for each';
  const rows = item ? item.rows : group.rows;
  // The former settings that the change leaves alone; of a delete all of them.
  const rest = item ? item.settings.filter(([name]) => !group.fields.has(name)) : [];
  const notes = told([group.origin, group.cause, ...group.notes]);
  return [
    el('h2', '', title),
    el('p', 'place', place),
    ...(data.risks.length === 0 ? [] : [el('p', 'risk', badge(group.risk), el('span', 'why', group.reason))]),
    ...section(group.action === 'create' ? 'Settings' : 'Changes', rows, changedFields),
    ...section('Notes', notes, noteList),
    ...section(group.action === 'delete' ? 'Settings that go with it' : 'Stays as it is', rest, fieldList),
  ];
}

function told(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => text !== '');
}

/** Things under their title; nothing where there is none. */
function section<T>(title: string, things: readonly T[], listed: (things: readonly T[]) => Node): Node[] {
  return things.length === 0 ? [] : [el('h3', '', title), listed(things)];
}

function noteList(notes: readonly string[]): Node {
  return el('ul', '', ...notes.map((note) => el('li', '', note)));
}

function changedFields(rows: readonly PageRow[]): Node {
  const line = ([tone, text]: PagePiece): Node => el('div', tone, PIECE_SIGNS[tone] + text);
  return fieldList(rows.map(([, label, pieces]) => [label, ...pieces.map(line)]));
}

function fieldList(fields: readonly (readonly [label: string, ...lines: (Node | string)[]])[]): Node {
  const items = fields.map(([label, ...lines]) => el('div', '', el('dt', '', label), el('dd', '', ...lines)));
  return el('dl', 'fields', ...items);
}
