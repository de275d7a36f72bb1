/** The page's style sheet: light and dark, wide and narrow, screen and paper. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --canvas: #f5f6f8; --surface: #ffffff; --line: #e2e5ea; --strong-line: #c9ced6;
  --text: #1b2027; --muted: #596372; --focus: #2563c9; --hover: #f1f4f8; --selected: #e8f0fd;
  --create: #14703f; --update: #1d5bb8;
  --delete: #b3261e; --delete-soft: #fdf0ee;
  --critical: #b3261e; --critical-text: #ffffff; --high: #8f4700; --high-soft: #fdeeda;
  --medium: #6f5500; --medium-soft: #fdf8e4; --warn-line: #e8d48d; --bad-line: #f0b8b3; --good: #14703f; --good-soft: #e3f3ea;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "Segoe UI Mono", "Liberation Mono", Menlo, Consolas, monospace;
  --row: 40px;
}
@media (prefers-color-scheme: dark) {
  :root {
    --canvas: #0e1116; --surface: #161a21; --line: #272d37; --strong-line: #3a424f;
    --text: #e7eaef; --muted: #9da7b5; --focus: #7fb0ff; --hover: #1c222b; --selected: #1b2a44;
    --create: #57c98c; --update: #7fb0ff;
    --delete: #ff8b80; --delete-soft: #2b1513;
    --critical: #ff8b80; --critical-text: #2a0805; --high: #ffb36b; --high-soft: #39250f;
    --medium: #e6cd6a; --medium-soft: #25210f; --warn-line: #5c4f1c; --bad-line: #6b2c26; --good: #57c98c; --good-soft: #11301f;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; padding: 28px 32px 20px; max-width: 1520px; background: var(--canvas); color: var(--text);
  font: 14px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
}
h1, h2, h3, p, dl, dd, ul, figure { margin: 0; padding: 0; }
ul { list-style: none; }
.mono, .domain, .id, .edit, .place { font-family: var(--mono); font-size: 12.5px; }
[hidden] { display: none !important; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
.card, .guard { background: var(--surface); border: 1px solid var(--line); border-radius: 12px; }

.top { display: flex; gap: 24px; align-items: flex-start; justify-content: space-between; margin-bottom: 20px; }
h1 { font-size: 22px; line-height: 1.3; font-weight: 650; letter-spacing: -0.01em; }
.meta { display: flex; flex-wrap: wrap; gap: 2px 18px; margin-top: 4px; color: var(--muted); overflow-wrap: anywhere; align-items: baseline; }
.verdict { flex: none; padding: 5px 14px; border-radius: 99px; font-weight: 600; }
.verdict.good { color: var(--good); background: var(--good-soft); }
.verdict.bad { color: var(--critical-text); background: var(--critical); }

.summary { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 16px; margin-bottom: 16px; }
.summary .card { display: flex; flex-direction: column; justify-content: space-between; gap: 14px; padding: 20px 24px; }
.counts { display: grid; grid-template-columns: repeat(3, 1fr); gap: 16px; }
.counts > div { display: flex; flex-direction: column-reverse; }
.counts dt { color: var(--muted); }
.counts dd { font-size: 34px; line-height: 1.2; font-weight: 650; letter-spacing: -0.02em; font-variant-numeric: tabular-nums; }
.counts dd span { margin-right: 5px; font-weight: 500; }
.counts .create dd { color: var(--create); } .counts .update dd { color: var(--update); } .counts .delete dd { color: var(--delete); }
.facts { display: flex; flex-wrap: wrap; gap: 4px 20px; padding-top: 14px; border-top: 1px solid var(--line); color: var(--muted); }
.facts b { color: var(--text); font-weight: 600; font-variant-numeric: tabular-nums; }
.chart > div { display: flex; flex-wrap: wrap; gap: 2px 16px; justify-content: space-between; }
.chart li { display: grid; grid-template-columns: 64px minmax(0, 1fr) 56px; gap: 12px; align-items: center; height: 24px; }
.chart svg { display: block; width: 100%; height: 10px; border-radius: 5px; background: var(--line); }
.chart .number { text-align: right; font-variant-numeric: tabular-nums; }
rect.create { fill: var(--create); } rect.update { fill: var(--update); } rect.delete { fill: var(--delete); }
.legend { display: flex; gap: 14px; color: var(--muted); font-size: 12.5px; }
.key::before { content: ""; display: inline-block; width: 9px; height: 9px; margin-right: 6px; border-radius: 3px; background: currentColor; }
.key.create::before { color: var(--create); } .key.update::before { color: var(--update); } .key.delete::before { color: var(--delete); }

.guards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 380px), 1fr)); gap: 10px 16px; margin-bottom: 16px; }
.guard { padding: 11px 18px; border-left-width: 4px; overflow-wrap: anywhere; }
.guard.bad { border-color: var(--bad-line); border-left-color: var(--delete); background: var(--delete-soft); }
.guard.bad strong { color: var(--delete); }
.guard.good { border-left-color: var(--good); } .guard.good strong { color: var(--good); }
.guard.warn { border-color: var(--warn-line); background: var(--medium-soft); }
.guard summary { cursor: pointer; color: var(--medium); }
.guard li { margin-top: 2px; }
.guard strong { margin-right: 6px; }
.remedy { color: var(--muted); }
.nothing { padding: 36px; margin-bottom: 16px; text-align: center; color: var(--muted); }
.nothing .facts { justify-content: center; border: 0; padding-top: 8px; }
.nothing .facts:empty { display: none; }
.nothing p:first-child, .unscripted p:first-child { font-size: 16px; font-weight: 600; color: var(--text); }
.unscripted { padding: 20px 24px; } .unscripted p { color: var(--muted); } .unscripted ul { margin-top: 12px; }

.toolbar {
  position: sticky; top: 0; z-index: 2; display: grid; gap: 8px;
  margin: 0 -8px; padding: 10px 8px; background: var(--canvas);
}
.tools { display: flex; flex-wrap: wrap; gap: 6px 14px; align-items: center; }
.search { position: relative; flex: 1 1 240px; max-width: 560px; }
input[type="search"], select {
  width: 100%; height: 34px; padding: 0 10px; border: 1px solid var(--strong-line); border-radius: 8px;
  background: var(--surface); color: var(--text); font: inherit;
}
select { width: auto; }
.search kbd { position: absolute; right: 9px; top: 8px; pointer-events: none; }
.search input:focus + kbd, .search input:not(:placeholder-shown) + kbd { display: none; }
input::placeholder { color: var(--muted); opacity: 1; }
kbd {
  display: inline-block; min-width: 18px; padding: 0 5px; border: 1px solid var(--strong-line); border-radius: 5px;
  background: var(--surface); color: var(--muted); font: 11px/16px var(--mono); text-align: center;
}
.chips { display: flex; gap: 4px; } .chips:empty { display: none; }
.chip, .button {
  height: 28px; padding: 0 11px; border: 1px solid var(--line); border-radius: 99px; background: var(--surface);
  color: var(--text); font: inherit; font-size: 13px; cursor: pointer;
}
.chip b { margin-left: 5px; font-weight: 400; color: var(--muted); font-variant-numeric: tabular-nums; }
.chip:hover, .button:hover { border-color: var(--strong-line); background: var(--hover); }
.chip[aria-pressed="true"] { border-color: var(--text); background: var(--text); color: var(--surface); }
.chip[aria-pressed="true"] b { color: inherit; }
.switch { display: flex; gap: 6px; align-items: center; color: var(--muted); cursor: pointer; }
.found { margin-left: auto; color: var(--muted); font-variant-numeric: tabular-nums; white-space: nowrap; }

.panes { display: flex; gap: 16px; align-items: flex-start; }
.list {
  flex: 1 1 0; min-width: 0; background: var(--surface);
  border: 1px solid var(--line); border-radius: 12px; overflow: clip;
}
.list:focus { outline: none; }
.list:focus-visible { border-color: var(--focus); box-shadow: 0 0 0 1px var(--focus); }
.rows { position: relative; }
.row {
  position: absolute; left: 0; right: 0; top: 0; height: var(--row); display: grid; align-items: center; gap: 14px; padding: 0 16px;
  grid-template-columns: 72px minmax(180px, 1.3fr) minmax(120px, 1.5fr) minmax(110px, 0.8fr) minmax(90px, 0.7fr);
  border-bottom: 1px solid var(--line); cursor: pointer;
}
.row > * { min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; line-height: 22px; }
.row .edit, .row .place, .row .domain, .row .id { line-height: 22px; }
.row:hover { background: var(--hover); }
.row[aria-selected="true"] { background: var(--selected); box-shadow: inset 3px 0 0 var(--focus); }
.row[aria-level="2"] .name { padding-left: 22px; }
.action { font-weight: 600; font-size: 13px; }
.action.create { color: var(--create); } .action.update { color: var(--update); } .action.delete { color: var(--delete); }
.sign { display: inline-block; width: 14px; font-family: var(--mono); }
.domain { font-weight: 500; }
.group .domain { font-family: inherit; font-size: 14px; font-weight: 600; }
.id, .place, .sample, .why { color: var(--muted); }
.id, .sample { margin-left: 8px; }
.place { text-align: right; direction: ltr; }
.caret { display: inline-block; width: 14px; margin-right: 8px; color: var(--muted); transition: transform 0.12s; text-align: center; }
[aria-expanded="true"] .caret { transform: rotate(90deg); }
.edit { color: var(--muted); } .edit i { font-style: normal; color: var(--text); }
.add { color: var(--create); } .remove { color: var(--delete); }
.badge { display: inline-block; padding: 0 8px; border-radius: 99px; font-size: 12px; line-height: 19px; font-weight: 600; margin-right: 6px; }
.badge.critical { background: var(--critical); color: var(--critical-text); }
.badge.high { background: var(--high-soft); color: var(--high); }
.badge.medium { background: var(--medium-soft); color: var(--medium); }
.badge.low { color: var(--muted); box-shadow: inset 0 0 0 1px var(--line); font-weight: 400; }
.none { padding: 48px; text-align: center; color: var(--muted); }
.keys { margin-left: auto; color: var(--muted); font-size: 12.5px; } .keys kbd { margin-left: 8px; } .keys kbd + kbd { margin-left: 2px; }

.details {
  position: sticky; top: 96px; flex: 0 0 400px; max-height: calc(100vh - 112px); overflow: auto; padding: 20px 22px;
  background: var(--surface); border: 1px solid var(--line); border-radius: 12px;
}
.details header { display: flex; gap: 12px; justify-content: space-between; }
.details h2 { margin: 4px 0 2px; font: 600 15px/1.4 var(--mono); overflow-wrap: anywhere; }
.details h3 { margin: 20px 0 6px; font-size: 12.5px; font-weight: 600; color: var(--muted); }
.details .place { text-align: left; }
.details .close { flex: none; width: 30px; padding: 0; align-self: flex-start; }
.fields > div { display: grid; grid-template-columns: 112px minmax(0, 1fr); gap: 12px; padding: 7px 0; border-top: 1px solid var(--line); }
.fields dt { color: var(--muted); }
.fields dd, .fields dt { font-family: var(--mono); font-size: 12.5px; overflow-wrap: anywhere; white-space: pre-wrap; }
.fields dd .dim { color: var(--muted); }
.details li { padding: 3px 0; overflow-wrap: anywhere; }
.details .risk { margin-top: 10px; }
.orphans { margin-top: 16px; color: var(--muted); } .orphans summary { cursor: pointer; }
.orphans ul { columns: 300px; margin-top: 8px; overflow-wrap: anywhere; }
.foot { margin-top: 20px; color: var(--muted); font-size: 12.5px; overflow-wrap: anywhere; }

@media (max-width: 1180px) { .row { grid-template-columns: 72px minmax(160px, 1.4fr) minmax(100px, 1.4fr) minmax(100px, 0.9fr); } .row .place { display: none; } }
.opened .row { grid-template-columns: 72px minmax(150px, 1fr) minmax(100px, 1.4fr) 70px; }
.opened .row .place, .opened .row .why { display: none; }
@media (max-width: 820px) {
  :root { --row: 62px; }
  body { padding: 18px 14px; }
  .top, .summary { display: block; } .verdict { display: inline-block; margin-top: 10px; }
  .summary .card { padding: 16px; } .summary .chart { margin-top: 12px; }
  .counts dd { font-size: 27px; }
  .toolbar { position: static; }
  .search { flex-basis: 100%; max-width: none; }
  .chips { flex-wrap: wrap; }
  .row, .opened .row { grid-template: auto auto / 64px minmax(0, 1fr) auto; gap: 0 10px; align-content: center; padding: 0 12px; }
  .row .edit { grid-row: 2; grid-column: 2 / 4; } .row .risk { grid-row: 1; grid-column: 3; margin: 0; } .row .why { display: none; }
  .details { position: fixed; z-index: 3; inset: auto 0 0 0; max-height: 70vh; border-radius: 16px 16px 0 0; box-shadow: 0 -8px 40px rgb(0 0 0 / 0.25); }
  .keys { display: none !important; }
}
@media (prefers-reduced-motion: reduce) { .caret { transition: none; } }
@media (forced-colors: active) { .row[aria-selected="true"] { outline: 2px solid Highlight; outline-offset: -2px; } .badge { border: 1px solid; } rect { forced-color-adjust: none; } }
@media print {
  :root { --canvas: #fff; --row: auto; }
  body { padding: 0; max-width: none; font-size: 11px; }
  .toolbar, .details, .keys { display: none !important; }
  .list { border: 0; overflow: visible; } .rows { height: auto !important; }
  .row { position: static; transform: none !important; min-height: 22px; break-inside: avoid; }
  .row > * { white-space: normal; overflow-wrap: anywhere; }
  * { print-color-adjust: exact; }
}
`;
