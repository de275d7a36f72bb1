/** The keyboard, and the start of it all. */
export const KEYS = `
/** To the group of a change, or out of an open group. */
const goOut = () => {
  const row = rows[selected];
  if (row === undefined) return;
  if (!row.item) toggle(row.group, false);
  else if (row.level === 2) select(rows.findIndex(({ key }) => key === row.group));
};

const MOVES = {
  j: () => select(selected + 1),
  ArrowDown: () => select(selected + 1),
  k: () => select(selected - 1),
  ArrowUp: () => select(selected - 1),
  PageDown: () => select(selected + Math.floor(window.innerHeight / rowHeight / 2)),
  PageUp: () => select(selected - Math.floor(window.innerHeight / rowHeight / 2)),
  Home: () => select(0),
  End: () => select(rows.length - 1),
  Enter: () => activate(),
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

const escape = () => {
  if (isOpen) closeDetails();
  else if (isFiltering()) clearFilter();
};

const onSearchKey = (event) => {
  if (event.key === 'Escape') {
    if ($('search').value === '') $('list').focus();
    else search('');
  } else if (event.key === 'Enter' || event.key === 'ArrowDown') {
    event.preventDefault();
    $('list').focus({ preventScroll: true });
    select(selected);
  }
};

const onKey = (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target === $('search')) return onSearchKey(event);
  if (event.key === 'Escape') return escape();
  const isFree = event.target === document.body || event.target === $('list');
  if (!isFree && !['/', 'j', 'k'].includes(event.key)) return;
  if (event.target.tagName === 'SELECT') return;
  const move = MOVES[event.key];
  if (move === undefined) return;
  event.preventDefault();
  if (event.key !== '/' && document.activeElement !== $('list')) $('list').focus({ preventScroll: true });
  move();
};

const start = () => {
  for (const id of ['toolbar', 'panes']) $(id).hidden = false;
  addFilters();
  refilter();
  document.addEventListener('keydown', onKey);
  window.addEventListener('scroll', drawSoon, { passive: true });
  window.addEventListener('resize', layOut);
  window.addEventListener('beforeprint', () => print(true));
  window.addEventListener('afterprint', () => print(false));
};

if ($('list')) start();
`;
