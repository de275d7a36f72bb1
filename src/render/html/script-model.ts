/** The data, and how an element is made. */
export const MODEL = String.raw`
const $ = (id) => document.getElementById(id);

/** An element with text or other elements in it. */
const el = (tag, className, ...children) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
};

const data = JSON.parse($('data').textContent);
const SIGNS = { create: '+', update: '~', delete: '−' };
const PIECE_SIGNS = { add: '+ ', remove: '− ' };
const number = (value) => value.toLocaleString('en');
const plural = (count, noun) => number(count) + ' ' + noun + (count === 1 ? '' : 's');
const words = (rows) => rows.flatMap(([, label, pieces]) => [label, ...pieces.map(([, text]) => text)]);
const haystack = (parts) => parts.join('\n').toLowerCase();

for (const group of data.groups) {
  group.words = haystack([group.action, group.risk, group.reason, group.origin, group.cause, ...group.notes, ...words(group.rows)]);
  group.fields = new Set(group.rows.map(([field]) => field));
  group.items = group.changes.map(([domain, id, file, settings, line, rows]) => {
    const place = file < 0 ? '' : data.files[file] + ':' + line;
    return {
      group, domain, id, place,
      settings: data.settings[settings] || [],
      rows: rows || group.rows,
      words: haystack([domain, id, place, ...words(rows || [])]),
    };
  });
}
const total = data.groups.reduce((sum, group) => sum + group.items.length, 0);
`;
