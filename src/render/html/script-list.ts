/** The list: only the rows in sight exist, whatever their number. */
export const LIST = `
let rows = [];
let selected = 0;
let isOpen = false;
let rowHeight = 40;
let isPrinting = false;
let wasGrouped = true;
const BEYOND = 8;
const PRINTED = 5000;

/** A field and its way in one line; of lists how many items come and go. */
const editParts = (rows) =>
  rows.flatMap(([, label, pieces], index) => {
    const value = pieces.length === 1 && pieces[0][0] !== 'add' && pieces[0][0] !== 'remove'
      ? [el(pieces[0][0] === 'dim' ? 'span' : 'i', '', pieces[0][1])]
      : ['add', 'remove'].flatMap((tone) => {
          const some = pieces.filter(([of]) => of === tone).length;
          return some === 0 ? [] : [el('span', tone, (tone === 'add' ? '+' : '−') + some + ' ')];
        });
    return [index > 0 ? ' · ' : '', label + ' ', ...value];
  });

const cell = (className, ...children) => {
  const element = el('span', className, ...children);
  element.setAttribute('role', 'gridcell');
  return element;
};

const nameParts = ({ group, item, items }) => {
  if (item) return [el('span', 'domain', item.domain), el('span', 'id', item.id)];
  const sample = items[0].domain + ', …';
  return [el('span', 'caret', '›'), el('span', 'domain', plural(items.length, 'record')), el('span', 'sample', sample)];
};

const rowElement = (row, index) => {
  const { group, item } = row;
  const shown = item ? item.rows : group.rows;
  const edit = shown.length > 0 ? editParts(shown) : [group.cause];
  const element = el(
    'div',
    item ? 'row' : 'row group',
    cell('action ' + group.action, el('span', 'sign', SIGNS[group.action]), group.action),
    cell('name', ...nameParts(row)),
    cell('edit', ...edit),
    cell('risk', badge(group.risk), el('span', 'why', group.risk === 'low' ? '' : group.reason)),
    cell('place', item ? item.place : ''),
  );
  element.id = 'row-' + index;
  element.setAttribute('role', 'row');
  element.setAttribute('aria-rowindex', String(index + 1));
  element.setAttribute('aria-level', String(row.level || 1));
  if (!item) element.setAttribute('aria-expanded', String(expanded.has(group)));
  element.setAttribute('aria-selected', String(index === selected && !isPrinting));
  element.style.transform = 'translateY(' + index * rowHeight + 'px)';
  element.addEventListener('click', () => {
    select(index, false);
    activate();
  });
  return element;
};

/** Makes the rows in sight, and as many beyond as a short scroll brings in. */
const draw = () => {
  const top = -$('rows').getBoundingClientRect().top;
  const first = isPrinting ? 0 : Math.max(0, Math.floor(top / rowHeight) - BEYOND);
  const last = isPrinting ? PRINTED : Math.ceil((top + window.innerHeight) / rowHeight) + BEYOND;
  const sight = rows.slice(first, Math.max(first, last));
  $('rows').replaceChildren(...sight.map((row, index) => rowElement(row, first + index)));
  if (isPrinting && rows.length > PRINTED) {
    $('rows').append(el('p', 'none', '… and ' + plural(rows.length - PRINTED, 'more row')));
  }
  if (rows[selected] && selected >= first && selected < last) {
    $('list').setAttribute('aria-activedescendant', 'row-' + selected);
  } else $('list').removeAttribute('aria-activedescendant');
};

let isDue = false;
const drawSoon = () => {
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    draw();
  });
};

const layOut = () => {
  rowHeight = Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row')) || 40;
  $('rows').style.height = rows.length * rowHeight + 'px';
  draw();
};

/** On paper every change stands by its name, up to a number that a printer bears. */
const print = (isOn) => {
  if (isOn) wasGrouped = filter.grouped;
  isPrinting = isOn;
  filter.grouped = isOn ? false : wasGrouped;
  refilter();
};

/** Filters anew; the selected row stays selected where it is still there. */
const refilter = () => {
  const key = rows[selected] && rows[selected].key;
  const result = filteredRows();
  rows = result.rows;
  selected = Math.max(0, rows.findIndex((row) => row.key === key));
  $('list').setAttribute('aria-rowcount', String(rows.length));
  $('none').hidden = rows.length > 0;
  $('clear').hidden = !isFiltering();
  $('found').textContent = (isFiltering() ? number(result.found) + ' of ' : '') + plural(total, 'change');
  layOut();
  showDetails();
};

/** Selects a row and, unless it was pointed at, brings it into sight below the toolbar. */
const select = (index, isMoved = true) => {
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
  showDetails();
};

/** Opens what is selected: the details of a change, the changes of a group. */
const activate = () => {
  const row = rows[selected];
  if (row === undefined) return;
  if (row.item) openDetails();
  else toggle(row.group, !expanded.has(row.group));
};

const toggle = (group, isExpanded) => {
  if (isExpanded) expanded.add(group);
  else expanded.delete(group);
  refilter();
};
`;
