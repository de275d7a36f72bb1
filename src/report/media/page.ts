/** Style and script of the page. Without the search script, everything is on the page and can be opened. */

export const STYLE = `
:root { color-scheme: light dark; }
[hidden] { display: none !important; }
body { margin: auto; padding: 16px; max-width: 1400px; font: 14px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
p, ul { margin: 0; padding: 0; list-style: none; }
h1 { font-size: 22px; }
h2 { display: inline; font-size: 15px; }
code, .mono, .name, .place { font-family: ui-monospace, monospace; font-size: 12.5px; }
.add, .good { color: light-dark(#14703f, #57c98c); } .medium, .warn { color: light-dark(#6f5500, #e6cd6a); }
.remove, .critical, .high, .bad { color: light-dark(#b3261e, #ff8b80); } .change { color: LinkText; }
.meta, .place, .id, .dim, th { color: light-dark(#566170, #9da7b5); }
.meta span { margin-right: 18px; }
.card, .changes { margin: 12px 0; border: 1px solid #8884; border-radius: 8px; }
.card { padding: 10px 16px; }
.card:is(.good, .warn, .bad) { border-color: currentColor; border-left-width: 4px; }
.card > * { color: CanvasText; }
th, td { padding: 3px 14px 3px 0; text-align: left; vertical-align: top; font-weight: 400; }
:is(th, td):not(:last-child) { overflow-wrap: break-word; }
.search { position: sticky; top: 0; padding: 8px 0; background: Canvas; }
.search input { width: min(100%, 480px); padding: 6px 10px; font: inherit; }
.changes > li + li { border-top: 1px solid #8884; }
.row { display: flex; flex-wrap: wrap; gap: 2px 14px; padding: 3px 16px; content-visibility: auto; contain-intrinsic-size: auto 27px; }
ul ul .row { padding-left: calc(6.5em + 30px); }
.row > * { flex: 3 20em; } .row > .does { flex: 0 6.5em; } .row > .place { flex: 1 9em; text-align: right; }
summary { cursor: pointer; }
summary.row .name::before { content: "▸ "; } [open] > summary.row .name::before { content: "▾ "; }
@media print {
  .search { display: none; }
  .row { content-visibility: visible; break-inside: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
`;

export const SCRIPT = `
const box = document.querySelector('[type=search]');
const rows = [...document.querySelectorAll('li.row')].map((row) => {
  const group = row.closest('li:not(.row)')?.querySelector('summary').textContent ?? '';
  return { row, text: (row.textContent + group).toLowerCase() };
});
const folds = [...document.querySelectorAll('details:has(li.row)')].map((fold) => ({ fold, isOpen: fold.open }));
box.parentElement.hidden = false;
box.addEventListener('input', () => {
  const words = box.value.toLowerCase().trim().split(/\\s+/);
  for (const { row, text } of rows) row.hidden = !words.every((word) => text.includes(word));
  for (const { fold, isOpen } of folds) {
    fold.hidden = fold.querySelector('li.row:not([hidden])') === null;
    fold.open = words[0] === '' ? isOpen : !fold.hidden;
  }
});
`;
