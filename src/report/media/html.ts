/** Lays out a document as one self-contained HTML page. Its content security policy forbids all network requests. */
import type { Digest } from '../../model/plan.ts';
import {
  type Block,
  type Document,
  type Entries,
  type Entry,
  type Fact,
  type Message,
  onPage,
  type ShownValue,
  SIGN_TONES,
  type Table,
  worstTone,
} from '../document.ts';
import { say, type Text } from '../sanitize.ts';
import { filePage } from '../text.ts';
import { count } from '../words.ts';
import { SCRIPT, STYLE } from './page.ts';
import { problemsLines } from './problems.ts';

/** Up to this number of changes, all details are open. Otherwise only critical and high risks are. */
const FEW = 50;
const NAMES_OPEN = 25;
const PAGE = filePage(120);

/** Returns the page. `digest` must be SHA-256, for the content security policy. */
export function htmlText(document: Document, digest: Digest): string {
  const { about, headline } = document;
  const { facts, footer, notices, body } = onPage(document);
  const entries = body.filter((block) => block.kind === 'entries');
  const isOpen = entries.reduce((sum, block) => sum + block.count, 0) <= FEW;
  const hasSearch = entries.some(({ level }) => level !== undefined);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${raw(policy(digest, hasSearch))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${about}: ${headline}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
<h1>${about}: ${headline}</h1>
<p class="meta">${facts.map(factHtml)}</p>
<main>
${notices.map((block) => blockHtml(block, isOpen))}${hasSearch && SEARCH}${body.map((block) => blockHtml(block, isOpen))}</main>
${footer.length > 0 && html`<footer class="meta">${footer.map(factHtml)}</footer>\n`}${hasSearch && html`<script>${raw(SCRIPT)}</script>\n`}</body>
</html>
`;
  return page.markup;
}

/** Forbids everything except the style and the script of this page, identified by their digests (CSP 3, 6.7.3). */
function policy(digest: Digest, hasSearch: boolean): string {
  const source = (text: string): string => `'sha256-${Buffer.from(digest(text), 'hex').toString('base64')}'`;
  return [
    "default-src 'none'",
    `style-src ${source(STYLE)}`,
    ...(hasSearch ? [`script-src ${source(SCRIPT)}`] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

const SEARCH = html`<div class="search" hidden><input type="search" placeholder="Search domains, settings, files" aria-label="Search changes"></div>
`;

function factHtml({ label, text }: Fact): Html {
  return html`<span>${label && html`${label}: `}${text}</span>`;
}

function blockHtml(block: Block, isOpen: boolean): Html {
  switch (block.kind) {
    case 'messages':
      return html`<div class="guard ${raw(worstTone(block))}">${block.items.map(messageHtml)}</div>\n`;
    case 'list': {
      const { title, items, tone } = block;
      const list = html`<ul class="mono">${items.map((text) => html`<li>${text}</li>\n`)}</ul>`;
      const frame = tone === 'bad' || tone === 'warn' ? `guard ${tone}` : 'card';
      return html`<div class="${raw(frame)}">${details(title, list, tone === 'bad' || items.length <= NAMES_OPEN)}</div>\n`;
    }
    case 'table':
      return tableHtml(block);
    case 'entries':
      return entriesHtml(block, isOpen);
    case 'problems':
      return html`${problemsLines(block.problems, PAGE).map((lines) => html`<div class="card"><pre>${lines.map((line) => html`${line as Text}\n`)}</pre></div>\n`)}`;
  }
}

function details(summary: Html | Text, content: Html, isOpen: boolean): Html {
  return html`<details${isOpen && raw(' open')}><summary>${summary}</summary>${content}</details>\n`;
}

function messageHtml({ label, text, place, stack = [], remedy, more }: Message): Html {
  const title = label && html`<strong>${label}:</strong> `;
  return html`${(label ?? text) && html`<p>${title}${text}</p>`}${[...stack.slice(0, 1), place].map((line) => html`${line && html`<p class="mono">${line}</p>`}`)}${remedy && html`<p>${remedy}</p>`}${more && html`<p class="dim">More: <code>websites explain ${say`${more}`}</code></p>`}`;
}

function tableHtml({ title, head, rows }: Table): Html {
  const lines = rows.map(({ cells: [first, ...others], level }) => {
    const own = html`<td${level && html` class="${raw(level)}"`}>${first}</td>`;
    return html`<tr>${own}${others.map((cell) => html`<td>${cell}</td>`)}</tr>\n`;
  });
  const titles = head && html`<tr>${head.map((cell) => html`<th>${cell}</th>`)}</tr>\n`;
  return html`<div class="card">${title && html`<h2>${title}</h2>`}<table>${titles}${lines}</table></div>\n`;
}

function entriesHtml({ title, level, noun, count: total, entries }: Entries, isOpen: boolean): Html {
  const isGrave = level !== 'medium' && level !== 'low';
  const heading = html`<h2 class="${raw(level ?? 'bad')}">${title}: ${count(total, noun)}</h2>`;
  const rows = entries.map((entry) => entryHtml(entry, isOpen));
  return details(heading, html`\n<ul class="changes">\n${rows}</ul>`, isOpen || isGrave);
}

function entryHtml(entry: Entry, isOpen: boolean): Html {
  const { members, sign, word, values, isRisky } = entry;
  const does = html`<span class="${raw(SIGN_TONES[sign])}">${sign === '-' ? say`−` : say`${sign}`} ${word}</span>`;
  const said = html`<div>${linesHtml(entry.before)}${valuesHtml(values?.())}${linesHtml(entry.after)}</div>`;
  if (members === undefined) return rowHtml(does, entry, said);
  const rows = members.map((member) =>
    rowHtml(html`<span></span>`, member, html`<div>${valuesHtml(member.values?.())}</div>`),
  );
  const isShown = isOpen || (isRisky && members.length <= NAMES_OPEN);
  const summary = html`${does}<span class="name">${entry.name}</span>${said}${placeHtml(entry.place)}`;
  return html`<li><details${isShown && raw(' open')}><summary class="row">${summary}</summary><ul>\n${rows}</ul></details></li>\n`;
}

function rowHtml(does: Html, { name, id, place }: Pick<Entry, 'name' | 'id' | 'place'>, said: Html): Html {
  const named = html`<span class="mono">${name}${id && html` <span class="id">${id}</span>`}</span>`;
  return html`<li><div class="row">${does}${named}${said}${placeHtml(place)}</div></li>\n`;
}

function placeHtml(place: Entry['place']): Html {
  return html`<span class="place mono">${place}</span>`;
}

function linesHtml(lines: Entry['before'] = []): Html[] {
  return lines.map(({ tone, label, text }) => {
    const shown = label !== undefined && !label.startsWith('!') && html`${label} `;
    return html`<p class="${raw(tone)}">${shown}${text}</p>`;
  });
}

function valuesHtml(values: readonly ShownValue[] = []): Html[] {
  return values.map(({ label, pieces }) => {
    const drawn = pieces.map(({ tone, text }) => html` <span class="${raw(tone)}">${text}</span>`);
    return html`<p class="mono"><span class="dim">${label}</span>${drawn}</p>`;
  });
}

interface Html {
  readonly markup: string;
}

type Part = Html | readonly Html[] | Text | number | false | undefined;

/** Template tag that escapes its values, in text and in quoted attributes. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { markup: strings.reduce((markup, string, index) => markup + markupOf(parts[index - 1]) + string) };
}

/** Marks text of this program as HTML. */
function raw(markup: string): Html {
  return { markup };
}

function markupOf(part: Part): string {
  if (part === undefined || part === false) return '';
  if (typeof part === 'string') return part.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  if (typeof part === 'number') return String(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}
