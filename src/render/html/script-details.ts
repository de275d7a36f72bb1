/** The pane that shows everything about the selected row. */
export const DETAILS = `
const fieldList = (entries) =>
  el('dl', 'fields', ...entries.map(([label, lines]) => el('div', '', el('dt', '', label), el('dd', '', ...lines))));

const pieceLine = ([tone, text]) => el('div', tone, (PIECE_SIGNS[tone] || '') + text);

const changedFields = (rows) => fieldList(rows.map(([, label, pieces]) => [label, pieces.map(pieceLine)]));

/** The former settings that this change leaves alone; of a delete all of them. */
const untouched = (item) => item.settings.filter(([name]) => !item.group.fields.has(name));

const badge = (risk) => el('span', 'badge ' + risk, risk);

const section = (title, ...content) => [el('h3', '', title), ...content];

const detailParts = ({ group, item, items }) => {
  const title = item ? item.domain : plural(items.length, 'record');
  const place = item ? [item.id, item.place].filter((text) => text !== '').join('  ') : 'the same edit for each';
  const rows = item ? item.rows : group.rows;
  const rest = item ? untouched(item) : [];
  const notes = [group.origin, group.cause, ...group.notes].filter((text) => text !== '');
  return [
    el('div', 'action ' + group.action, el('span', 'sign', SIGNS[group.action]), group.action),
    el('h2', '', title),
    el('p', 'place', place),
    el('p', 'risk', badge(group.risk), el('span', 'why', group.reason)),
    ...(rows.length > 0 ? section(group.action === 'create' ? 'Settings' : 'Changes', changedFields(rows)) : []),
    ...(notes.length > 0 ? section('Notes', el('ul', '', ...notes.map((note) => el('li', '', note)))) : []),
    ...(rest.length > 0
      ? section(
          group.action === 'delete' ? 'Settings that go with it' : 'Stays as it is',
          fieldList(rest.map(([name, text]) => [name, [text]])),
        )
      : []),
  ];
};

const showDetails = () => {
  const row = rows[selected];
  if (!isOpen || row === undefined) return;
  const close = el('button', 'button close', '×');
  close.type = 'button';
  close.setAttribute('aria-label', 'Close details');
  close.addEventListener('click', closeDetails);
  const [action, ...parts] = detailParts(row);
  $('details').replaceChildren(el('header', '', action, close), ...parts);
  $('details').scrollTop = 0;
};

const openDetails = () => {
  if (rows[selected] === undefined) return;
  isOpen = true;
  $('details').hidden = false;
  $('panes').classList.add('opened');
  showDetails();
};

const closeDetails = () => {
  isOpen = false;
  $('details').hidden = true;
  $('panes').classList.remove('opened');
  $('list').focus({ preventScroll: true });
};
`;
