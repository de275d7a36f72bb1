/** The list: only the rows in sight exist, whatever their number. */
import type { PagePiece, PageRow } from '../data.ts';
import { SIGNS } from '../signs.ts';
import { openDetails, showDetails } from './details.ts';
import { $, badge, el } from './elements.ts';
import { expanded, filter, filteredRows, isFiltering, type ListRow } from './filter.ts';
import { data, type ListGroup, plural, total } from './model.ts';

const BEYOND = 8;
const PRINTED = 5000;

export let rows: readonly ListRow[] = [];
export let selected = 0;
export let rowHeight = 40;
let isPrinting = false;
let wasGrouped = true;

/** Filters again; the selected row stays selected where it is still there. */
export function refilter(): void {
  const key = rows[selected]?.key;
  const result = filteredRows();
  rows = result.rows;
  const index = rows.findIndex((row) => row.key === key);
  selected = Math.max(0, index);
  $('list').setAttribute('aria-rowcount', String(rows.length));
  $('none').hidden = rows.length > 0;
  $('clear').hidden = !isFiltering();
  $('found').textContent =
    (isFiltering() ? `${result.found} of ` : '') +
    plural(total, data.risks.length === 0 ? 'record' : 'change');
  layOut();
  showDetails(rows[selected]);
}

export function layOut(): void {
  const height = getComputedStyle(document.documentElement).getPropertyValue('--row');
  rowHeight = Number.parseFloat(height) || 40;
  $('rows').style.height = `${rows.length * rowHeight}px`;
  $('panes').style.setProperty('--below', `${$('toolbar').offsetHeight}px`);
  draw();
}

let isDue = false;

export function drawSoon(): void {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    draw();
  });
}

/** Makes the rows in sight, and as many beyond as a short scroll brings in. */
function draw(): void {
  const top = -$('rows').getBoundingClientRect().top;
  const first = isPrinting ? 0 : Math.max(0, Math.floor(top / rowHeight) - BEYOND);
  const last = isPrinting ? PRINTED : Math.ceil((top + window.innerHeight) / rowHeight) + BEYOND;
  const sight = rows.slice(first, Math.max(first, last));
  $('rows').replaceChildren(...sight.map((row, index) => rowElement(row, first + index)));
  if (isPrinting && isFiltering()) $('rows').prepend(el('p', 'none', `Filtered: ${$('found').textContent}`));
  if (isPrinting && rows.length > PRINTED) {
    $('rows').append(el('p', 'none', `… and ${plural(rows.length - PRINTED, 'more row')}`));
  }
  if (rows[selected] && selected >= first && selected < last) {
    $('list').setAttribute('aria-activedescendant', `row-${selected}`);
  } else $('list').removeAttribute('aria-activedescendant');
}

/** On paper every change stands by its name, up to a number that a printer bears. */
export function print(isOn: boolean): void {
  if (isOn) wasGrouped = filter.grouped;
  isPrinting = isOn;
  filter.grouped = isOn ? false : wasGrouped;
  refilter();
}

/** Selects a row and, unless it was pointed at, brings it into sight below the toolbar. */
export function select(index: number, isMoved = true): void {
  selected = Math.min(Math.max(index, 0), rows.length - 1);
  if (isMoved) {
    const listTop = $('rows').getBoundingClientRect().top + window.scrollY;
    const above = getComputedStyle($('toolbar')).position === 'sticky' ? $('toolbar').offsetHeight : 0;
    const rowTop = listTop + selected * rowHeight;
    if (rowTop - above < window.scrollY) window.scrollTo(0, rowTop - above);
    else if (rowTop + rowHeight > window.scrollY + window.innerHeight) {
      window.scrollTo(0, rowTop + rowHeight - window.innerHeight);
    }
  }
  draw();
  showDetails(rows[selected]);
}

/** Opens what is selected: the details of a change, the changes of a group. */
export function activate(): void {
  const row = rows[selected];
  if (row === undefined) return;
  if (row.item) openDetails(row);
  else toggle(row.group, !expanded.has(row.group));
}

export function toggle(group: ListGroup, isExpanded: boolean): void {
  if (isExpanded) expanded.add(group);
  else expanded.delete(group);
  refilter();
}

function rowElement(row: ListRow, index: number): HTMLElement {
  const { group, item } = row;
  const shown = item ? item.rows : group.rows;
  const element = el(
    'div',
    item ? 'row' : 'row group',
    cell(`action ${group.action}`, el('span', 'sign', SIGNS[group.action]), data.names[group.action]),
    cell('name', ...nameParts(row)),
    cell('edit', ...(shown.length > 0 ? editParts(shown) : [group.cause])),
    cell('risk', ...(data.risks.length === 0 ? [] : riskParts(group))),
    cell('place', item ? item.place : ''),
  );
  element.id = `row-${index}`;
  element.setAttribute('role', 'row');
  element.setAttribute('aria-rowindex', String(index + 1));
  element.setAttribute('aria-level', String(item ? row.level : 1));
  if (!item) element.setAttribute('aria-expanded', String(expanded.has(group)));
  element.setAttribute('aria-selected', String(index === selected && !isPrinting));
  element.style.transform = `translateY(${index * rowHeight}px)`;
  element.addEventListener('click', () => {
    select(index, false);
    activate();
  });
  return element;
}

function riskParts({ risk, reason }: ListGroup): HTMLElement[] {
  return [badge(risk), el('span', 'why', risk === 'low' ? '' : reason)];
}

function cell(className: string, ...children: readonly (Node | string)[]): HTMLElement {
  const element = el('span', className, ...children);
  element.setAttribute('role', 'gridcell');
  return element;
}

function nameParts(row: ListRow): HTMLElement[] {
  if (row.item) return [el('span', 'domain', row.item.domain), el('span', 'id', row.item.id)];
  const { items } = row;
  return [
    el('span', 'caret', '›'),
    el('span', 'domain', plural(items.length, 'record')),
    el('span', 'sample', `${items[0]?.domain}, …`),
  ];
}

/** Fields and their ways in one line. */
function editParts(rows: readonly PageRow[]): (HTMLElement | string)[] {
  const fields = rows.map(([, label, pieces]) => [`${label} `, ...valueParts(pieces)]);
  return fields.flatMap((parts, index) => [index > 0 ? ' · ' : '', ...parts]);
}

/** A value as it is; of a list how many items come and go. */
function valueParts(pieces: readonly PagePiece[]): HTMLElement[] {
  const [[tone, text] = ['add', ''], ...more] = pieces;
  if (more.length === 0 && tone === 'dim') return [el('span', '', text)];
  if (tone === 'plain') return [el('i', '', pieces.map(([, part]) => part).join(', '))];
  return ['add', 'remove'].flatMap((way) => {
    const some = pieces.filter(([of]) => of === way).length;
    return some === 0 ? [] : [el('span', way, `${way === 'add' ? '+' : '−'}${some} `)];
  });
}
