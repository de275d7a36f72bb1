/** The keyboard. */
import { closeDetails, isOpen } from './details.ts';
import { $ } from './elements.ts';
import { isFiltering } from './filter.ts';
import { activate, rowHeight, rows, select, selected, toggle } from './list.ts';
import { clearFilter, search } from './toolbar.ts';

const MOVES: Readonly<Record<string, () => void>> = {
  j: () => select(selected + 1),
  ArrowDown: () => select(selected + 1),
  k: () => select(selected - 1),
  ArrowUp: () => select(selected - 1),
  PageDown: () => select(selected + Math.floor(window.innerHeight / rowHeight / 2)),
  PageUp: () => select(selected - Math.floor(window.innerHeight / rowHeight / 2)),
  Home: () => select(0),
  End: () => select(rows.length - 1),
  Enter: activate,
  ArrowRight: () => {
    const row = rows[selected];
    if (row && !row.item) toggle(row.group, true);
  },
  ArrowLeft: goOut,
  '/': () => {
    $('search').focus();
    $('search').select();
  },
};

export function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === $('search')) onSearchKey(event);
  else if (event.key === 'Escape') stepBack();
  else if (event.target !== $('field') && event.target !== $('site')) onMove(event);
}

function onMove(event: KeyboardEvent): void {
  const { key, target } = event;
  const isFree = target === document.body || target === $('list');
  const move = isFree || ['/', 'j', 'k'].includes(key) ? MOVES[key] : undefined;
  if (move === undefined) return;
  event.preventDefault();
  if (key !== '/' && document.activeElement !== $('list')) $('list').focus({ preventScroll: true });
  move();
}

function onSearchKey(event: KeyboardEvent): void {
  if (event.key === 'Escape') {
    if ($('search').value === '') $('list').focus();
    else search('');
  } else if (event.key === 'Enter' || event.key === 'ArrowDown') {
    event.preventDefault();
    $('list').focus({ preventScroll: true });
    select(selected);
  }
}

function stepBack(): void {
  if (isOpen) closeDetails();
  else if (isFiltering()) clearFilter();
}

/** To the group of a change, or out of an open group. */
function goOut(): void {
  const row = rows[selected];
  if (row === undefined) return;
  if (!row.item) toggle(row.group, false);
  else if (row.level === 2) select(rows.findIndex(({ key }) => key === row.group));
}
