/** Which changes are shown: what was searched for, and what was switched on. */
export const FILTER = String.raw`
const filter = { words: [], action: new Set(), risk: new Set(), origin: new Set(), field: '', grouped: true };
const expanded = new Set();

const passes = (group) =>
  (filter.action.size === 0 || filter.action.has(group.action)) &&
  (filter.risk.size === 0 || filter.risk.has(group.risk)) &&
  (filter.origin.size === 0 || filter.origin.has(group.origin)) &&
  (filter.field === '' || group.fields.has(filter.field));

const matches = (item) => filter.words.every((word) => item.words.includes(word) || item.group.words.includes(word));

/** The rows to show: single changes, and heads of groups with their changes where they are open. */
const filteredRows = () => {
  const rows = [];
  let found = 0;
  for (const group of data.groups) {
    if (!passes(group)) continue;
    const items = filter.words.length > 0 ? group.items.filter(matches) : group.items;
    found += items.length;
    const together = filter.grouped && filter.words.length === 0 && items.length > 1;
    if (together) rows.push({ key: group, group, items });
    if (!together || expanded.has(group)) {
      for (const item of items) rows.push({ key: item, group, item, level: together ? 2 : 1 });
    }
  }
  return { rows, found };
};

const isFiltering = () =>
  filter.words.length + filter.action.size + filter.risk.size + filter.origin.size > 0 || filter.field !== '';

const countBy = (name, value) =>
  data.groups.reduce((sum, group) => sum + (group[name] === value ? group.items.length : 0), 0);

const addChips = (name, values) => {
  for (const value of values) {
    const chip = el('button', 'chip', value, el('b', '', number(countBy(name, value))));
    chip.type = 'button';
    chip.setAttribute('aria-pressed', 'false');
    chip.addEventListener('click', () => {
      if (!filter[name].delete(value)) filter[name].add(value);
      chip.setAttribute('aria-pressed', String(filter[name].has(value)));
      refilter();
    });
    $(name + 's').append(chip);
  }
};

/** Shows what holds every word of a text. */
const search = (text) => {
  if ($('search').value !== text) $('search').value = text;
  filter.words = text.toLowerCase().split(/\s+/).filter((word) => word !== '');
  refilter();
};

const clearFilter = () => {
  filter.action.clear();
  filter.risk.clear();
  filter.origin.clear();
  filter.field = $('field').value = '';
  for (const chip of document.querySelectorAll('.chip')) chip.setAttribute('aria-pressed', 'false');
  search('');
};

const addFilters = () => {
  addChips('action', data.actions);
  addChips('risk', data.risks);
  addChips('origin', data.origins);
  for (const name of data.fields) {
    const option = el('option', '', name);
    option.value = name;
    $('field').append(option);
  }
  $('field').addEventListener('change', () => {
    filter.field = $('field').value;
    refilter();
  });
  $('search').addEventListener('input', () => search($('search').value));
  $('grouped').addEventListener('change', () => {
    filter.grouped = $('grouped').checked;
    refilter();
  });
  $('clear').addEventListener('click', clearFilter);
};
`;
