/** Style and script of the page. Without the search script, everything is on the page and can be opened. */

export const STYLE = `
:root {
  color-scheme: light dark;
  --good: light-dark(#14703f, #57c98c); --bad: light-dark(#b3261e, #ff8b80); --warn: light-dark(#6f5500, #e6cd6a);
  --muted: light-dark(#566170, #9da7b5); --line: light-dark(#dfe3e8, #2b323d);
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: auto; padding: 16px; max-width: 1440px; font: 14px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1, p, ul { margin: 0; padding: 0; list-style: none; }
h1 { font-size: 22px; }
h2 { display: inline; font-size: 15px; }
code, .mono { font-family: ui-monospace, monospace; font-size: 12.5px; }
.card, .guard, .changes { margin: 12px 0; border: 1px solid var(--line); border-radius: 8px; }
.card, .guard { padding: 10px 16px; }
.guard { border-color: currentColor; border-left-width: 4px; background: color-mix(in srgb, currentColor 6%, Canvas); }
.guard > * { color: CanvasText; }
.guard strong { display: inline-block; } .guard strong::first-letter { text-transform: uppercase; }
.add, .good { color: var(--good); } .change { color: LinkText; } .medium, .warn { color: var(--warn); }
.remove, .critical, .high, .bad { color: var(--bad); } .meta, .place, .id, .dim, th { color: var(--muted); }
.meta span { display: inline-block; margin-right: 18px; }
th, td { padding: 3px 14px 3px 0; text-align: left; vertical-align: top; font-weight: 400; }
:is(th, td):not(:last-child) { overflow-wrap: break-word; }
.search { position: sticky; top: 0; padding: 8px 0; background: Canvas; }
.search input { width: min(100%, 480px); padding: 6px 10px; font: inherit; }
summary { cursor: pointer; }
.changes > li + li { border-top: 1px solid var(--line); }
.row {
  display: grid; grid-template-columns: 6.5em minmax(0, 3fr) minmax(0, 4fr) minmax(9em, 3fr); gap: 2px 14px; padding: 6px 16px;
  content-visibility: auto; contain-intrinsic-size: auto 34px;
}
summary.row .name::before { content: "▸ "; } [open] > summary.row .name::before { content: "▾ "; }
li li .row { padding-block: 1px; }
.place { text-align: right; }
@media screen and (max-width: 820px) {
  tr:has(:nth-child(4)) { display: grid; grid-template-columns: 6em 1fr 4em; }
  td:nth-child(4) { grid-column: 2 / -1; } th:nth-child(4) { display: none; }
  .row { grid-template-columns: 6.5em minmax(0, 1fr); } .row > :nth-child(n + 3) { grid-column: 2; } .place { text-align: left; }
}
@media print {
  body { padding: 0; max-width: none; font-size: 11px; }
  .search { display: none; }
  .row { content-visibility: visible; break-inside: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
`;

export const SCRIPT = `
const box = document.querySelector('[type=search]');
const rows = [...document.querySelectorAll('div.row')].map((row) => {
  const group = row.closest('li > details')?.firstElementChild.textContent ?? '';
  return { row: row.parentElement, text: (row.textContent + group).toLowerCase() };
});
const folds = [...document.querySelectorAll('details:has(div.row)')].map((fold) => ({ fold, isOpen: fold.open }));
box.parentElement.hidden = false;
box.addEventListener('input', () => {
  const words = box.value.toLowerCase().trim().split(/\\s+/);
  for (const { row, text } of rows) row.hidden = !words.every((word) => text.includes(word));
  for (const { fold, isOpen } of folds) {
    const isNone = fold.querySelector('li:not([hidden]) > div.row') === null;
    (fold.closest('li') ?? fold).hidden = isNone;
    fold.open = words[0] === '' ? isOpen : !isNone;
  }
});
`;
