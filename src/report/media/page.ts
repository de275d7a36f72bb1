/** Style and script of the page. Without the search script, everything is on the page and can be opened. */

export const STYLE = `
:root {
  color-scheme: light dark;
  --canvas: light-dark(#f5f6f8, #0e1116); --surface: light-dark(#fff, #161a21);
  --line: light-dark(#dfe3e8, #2b323d); --text: light-dark(#1b2027, #e7eaef); --muted: light-dark(#566170, #9da7b5);
  --good: light-dark(#14703f, #57c98c);
  --bad: light-dark(#b3261e, #ff8b80); --bad-soft: light-dark(#fdf0ee, #2b1513);
  --warn: light-dark(#6f5500, #e6cd6a); --warn-soft: light-dark(#fdf8e4, #25210f);
  --high: light-dark(#8f4700, #ffb36b); --change: light-dark(#1d5bb8, #7fb0ff);
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body {
  margin: 0 auto; padding: 24px 28px; max-width: 1440px; background: var(--canvas); color: var(--text);
  font: 14px/1.5 system-ui, sans-serif; overflow-wrap: anywhere;
}
h1, h2, p, ul, pre { margin: 0; padding: 0; }
h1 { font-size: 22px; }
h2 { display: inline; font-size: 15px; }
ul { list-style: none; }
code, .mono { font-family: ui-monospace, monospace; font-size: 12.5px; }
.card, .guard {
  margin-bottom: 14px; padding: 14px 18px; background: var(--surface); border: 1px solid var(--line); border-radius: 10px;
}
.meta { display: flex; flex-wrap: wrap; gap: 2px 18px; margin-bottom: 16px; }
.meta, .place, .id, .dim { color: var(--muted); }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 3px 14px 3px 0; text-align: left; vertical-align: top; }
th { color: var(--muted); font-weight: 400; }
:is(th, td):not(:last-child) { overflow-wrap: break-word; }
.add { color: var(--good); } .change { color: var(--change); }
.remove, .critical, p.bad, h2.bad, span.bad { color: var(--bad); } .high { color: var(--high); }
.medium, p.warn { color: var(--warn); }
.guard strong { display: inline-block; } .guard strong::first-letter { text-transform: uppercase; }
.guard { border-left-width: 4px; }
.guard.good { border-left-color: var(--good); }
.guard.bad { border-color: var(--bad); background: var(--bad-soft); }
.guard.warn { border-color: var(--warn); background: var(--warn-soft); }
.search { position: sticky; top: 0; padding: 8px 0; background: var(--canvas); }
.search input {
  width: min(100%, 480px); padding: 6px 10px; border: 1px solid var(--muted); border-radius: 8px;
  background: var(--surface); color: var(--text); font: inherit;
}
details:has(.changes) { margin-bottom: 10px; }
summary { cursor: pointer; }
.changes { margin-top: 6px; background: var(--surface); border: 1px solid var(--line); border-radius: 10px; }
.changes li { border-top: 1px solid var(--line); }
.changes > li:first-child { border-top: 0; }
.row {
  display: grid; grid-template-columns: 6.5em minmax(0, 3fr) minmax(0, 4fr) minmax(9em, 3fr); gap: 2px 14px; padding: 7px 16px;
  content-visibility: auto; contain-intrinsic-size: auto 34px;
}
summary.row .name { font: 600 14px/1.5 system-ui, sans-serif; }
summary.row .name::before { content: "▸ "; } [open] > summary.row .name::before { content: "▾ "; }
.changes details li { border: 0; } .changes details li .row { padding-block: 2px; }
.place { text-align: right; }
@media screen and (max-width: 820px) {
  body { padding: 14px; } .card, .guard { padding: 10px 12px; }
  tr:has(:nth-child(4)) { display: grid; grid-template-columns: 6em 1fr 4em; }
  td:nth-child(4) { grid-column: 2 / -1; } th:nth-child(4) { display: none; }
  .row { grid-template-columns: 6.5em minmax(0, 1fr); } .row > :nth-child(n + 3) { grid-column: 2; } .place { text-align: left; }
}
@media print {
  body { padding: 0; max-width: none; font-size: 11px; }
  .search { display: none; }
  .row { padding: 2px 8px; content-visibility: visible; break-inside: avoid; }
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
