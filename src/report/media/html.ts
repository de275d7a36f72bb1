/** A document as one self-contained page: its own policy forbids it any network request. */
import type { Digest } from '../../model/plan.ts';
import {
  type Block,
  type Document,
  type Entries,
  type Entry,
  type Fact,
  type LabeledChange,
  type Message,
  type Messages,
  type Name,
  onPage,
  type Table,
  type Tone,
} from '../document.ts';
import { say, type Text } from '../sanitize.ts';
import { plain } from '../style.ts';
import { count, moreOf } from '../words.ts';
import { piecesOf, pieceText, type Room } from './entries.ts';
import { SCRIPT, STYLE } from './page.ts';
import { problemsLines } from './problems.ts';

/** Up to this many changes, everything is open; of more, those of critical and high risk. */
const FEW = 50;
const [MESSAGES_OPEN, NAMES_OPEN] = [3, 25];
const [ITEMS, GROUPS, GROUP_NAMES] = [10_000, 500, 200];
const WHOLE: Room = { items: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY };

/** The page; `digest` is SHA-256, for the policy that names the one style sheet and the one script. */
export function htmlText(document: Document, digest: Digest): string {
  const { about, headline } = document;
  const { notices, body } = onPage(document);
  const entries = body.filter((block) => block.kind === 'entries');
  const total = entries.reduce((sum, block) => sum + block.count, 0);
  const hasSearch = entries.some(({ level }) => level !== undefined);
  const draw = (block: Block): Html => blockHtml(block, total <= FEW);
  const first = body.findIndex(({ kind }) => kind === 'entries');
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${raw(policy(digest, hasSearch))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
<title>${say`${about}: ${headline}`}</title>
<style>${raw(STYLE)}</style>
</head>
<body>
${header(document)}<main>
${notices.map(draw)}${body.slice(0, Math.max(first, 0)).map(draw)}${hasSearch ? SEARCH : raw('')}${body.slice(Math.max(first, 0)).map(draw)}</main>
${footer(document)}${hasSearch ? html`<script>${raw(SCRIPT)}</script>\n` : raw('')}</body>
</html>
`;
  return page.markup;
}

/** Forbids everything except the page's own style and script, named by their digests (CSP 3, 6.7.3). */
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

function header({ about, headline, verdict, counts = [], facts = [] }: Document): Html {
  const numbers = counts.map(
    ({ paint, sign, number, what }) =>
      html`<div class="${raw(paint)}"><dt>${what}</dt><dd><span aria-hidden="true">${raw(signOf(sign))}</span>${number}</dd></div>`,
  );
  return html`<header class="top">
<div>
<h1>${about}</h1>
<p class="meta">${facts.map(factHtml)}</p>
</div>
${verdict === undefined ? raw('') : html`<p class="verdict ${raw(verdict.tone)}">${verdict.text}</p>`}
</header>
${numbers.length > 0 ? html`<dl class="card counts">${numbers}</dl>` : html`<p class="card">${headline}</p>`}
`;
}

function signOf(sign: string): string {
  return sign === '-' ? '−' : sign;
}

function factHtml({ label, text, isCode }: Fact): Html {
  const said = label === undefined ? say`` : isCode ? say`${label} ` : say`${label}: `;
  return html`<span>${said}${isCode ? html`<span class="mono">${text}</span>` : html`${text}`}</span>`;
}

function footer({ footer = [] }: Document): Html {
  return footer.length === 0 ? raw('') : html`<footer class="foot meta">${footer.map(factHtml)}</footer>\n`;
}

function blockHtml(block: Block, isOpen: boolean): Html {
  switch (block.kind) {
    case 'messages':
      return messagesHtml(block);
    case 'names':
      return html`<div class="card">${folded(block.title, nameList(block.names, ITEMS), block.names.length <= NAMES_OPEN)}</div>\n`;
    case 'groups':
      return html`<section><h2>${block.title}</h2>
${block.groups.slice(0, GROUPS).map(({ title, names }) =>
  folded(
    title,
    nameList(
      names.map((text) => ({ text })),
      GROUP_NAMES,
    ),
    false,
  ),
)}${moreHtml(block.groups.length - GROUPS, say`group`)}</section>
`;
    case 'list': {
      const items = block.items.slice(0, ITEMS).map((text) => html`<li>${text}</li>\n`);
      return html`<section class="card"><h2>${block.title}</h2><ul>${items}</ul>${moreHtml(block.items.length - ITEMS)}</section>
`;
    }
    case 'table':
      return tableHtml(block);
    case 'code':
      return html`<section class="card"><h2>${block.title}</h2><pre>${block.lines.map((line) => html`${line}\n`)}</pre></section>\n`;
    case 'entries':
      return entriesHtml(block, isOpen);
    case 'problems': {
      const page = { style: plain, width: 120, fold: Number.POSITIVE_INFINITY };
      const texts = problemsLines(block.problems.slice(0, ITEMS), page);
      return html`${texts.map((lines) => html`<pre class="card">${lines.map((line) => html`${line as Text}\n`)}</pre>\n`)}${moreHtml(block.problems.length - ITEMS)}`;
    }
  }
}

function moreHtml(left: number, noun?: Text): Html {
  return html`${moreOf(left, noun).map((line) => html`<p>${line}</p>`)}`;
}

function folded(title: Text, content: Html, isOpen: boolean): Html {
  return html`<details${raw(isOpen ? ' open' : '')}><summary>${title}</summary>${content}</details>
`;
}

function messagesHtml({ items, noun }: Messages): Html {
  const tone = items.find((one) => one.tone === 'bad' || one.remedy !== undefined)
    ? 'bad'
    : (items[0]?.tone ?? 'plain');
  if (noun === undefined) return html`<div class="guard ${raw(tone)}">${items.map(messageHtml)}</div>\n`;
  const lines = items.slice(0, ITEMS).map(({ text = say``, more }) => {
    return html`<li>${text}${more === undefined ? raw('') : html` <code>${say`${more}`}</code>`}</li>`;
  });
  return html`<div class="guard ${raw(tone)}">${folded(count(items.length, noun), html`<ul>${lines}</ul>${moreHtml(items.length - ITEMS)}`, items.length <= MESSAGES_OPEN)}</div>
`;
}

function messageHtml({ label, text, place, stack = [], remedy, more }: Message): Html {
  const said = html`${label === undefined ? raw('') : html`<strong>${label}</strong> `}${text ?? say``}`;
  const isEmpty = label === undefined && text === undefined;
  return html`${isEmpty ? raw('') : html`<p>${said}</p>`}${stack.slice(0, 1).map((line) => html`<p class="mono">${line}</p>`)}${place === undefined ? raw('') : html`<p class="mono">${place}</p>`}${remedy === undefined ? raw('') : html`<p>${remedy}</p>`}${more === undefined ? raw('') : html`<p class="dim"><code>websites explain ${say`${more}`}</code></p>`}`;
}

function nameList(names: readonly Name[], most: number): Html {
  const items = names
    .slice(0, most)
    .map(({ text, note }) => html`<li>${text}${note === undefined ? raw('') : html` (${note})`}</li>\n`);
  return html`<ul class="mono names">${items}</ul>${moreHtml(names.length - most)}`;
}

function tableHtml({ title, head, rows }: Table): Html {
  const titles =
    head === undefined ? raw('') : html`<tr>${head.map((cell) => html`<th>${cell}</th>`)}</tr>\n`;
  const lines = rows.slice(0, ITEMS).map(({ cells, level }) => {
    const [first = say``, ...others] = cells;
    return html`<tr><td${level ? html` class="${raw(level)}"` : raw('')}>${first}</td>${others.map((cell) => html`<td>${cell}</td>`)}</tr>\n`;
  });
  return html`<div class="card">${title === undefined ? raw('') : html`<h2>${title}</h2>`}<table>${titles}${lines}</table>${moreHtml(rows.length - ITEMS)}</div>\n`;
}

function entriesHtml({ title, level, noun, count: total, entries }: Entries, isOpen: boolean): Html {
  const isGrave = level !== 'medium' && level !== 'low';
  return html`<details${raw(isOpen || isGrave ? ' open' : '')}><summary><h2 class="${raw(level ?? 'bad')}">${title}: ${count(total, noun)}</h2></summary>
<ul class="changes">
${entries.map((entry) => entryHtml(entry, isOpen))}</ul></details>
`;
}

function entryHtml(entry: Entry, isOpen: boolean): Html {
  const { members, place = say`` } = entry;
  const name = members === undefined ? nameHtml(entry) : html`<span class="name">${entry.name}</span>`;
  const cells = html`<span class="${raw(entry.paint)}">${raw(signOf(entry.sign))} ${entry.word}</span>${name}${said(entry)}<span class="place mono">${place}</span>`;
  if (members === undefined) return html`<li><div class="row">${cells}</div></li>\n`;
  const rows = Array.from({ length: members.count }, (_, index) => {
    const member = members.at(index);
    const own = members.isMixed ? html`<div>${valuesHtml(member.values?.())}</div>` : html`<span></span>`;
    return html`<li><div class="row"><span></span>${nameHtml(member)}${own}<span class="place mono">${member.place ?? say``}</span></div></li>\n`;
  });
  const isShown = isOpen || (members.isRisky && members.count <= NAMES_OPEN);
  return html`<li><details${raw(isShown ? ' open' : '')}><summary class="row">${cells}</summary><ul>
${rows}</ul></details></li>
`;
}

function nameHtml({ name, id }: Pick<Entry, 'name' | 'id'>): Html {
  return html`<span class="mono">${name}${id === undefined ? raw('') : html` <span class="id">${id}</span>`}</span>`;
}

function said({ before, values, after, loss }: Entry): Html {
  const line = (tone: Tone, text: Html): Html => html`<p class="${raw(tone)}">${text}</p>`;
  const lines = (all: Entry['before'] = []): Html[] =>
    all.map(({ tone, label, text }) =>
      line(tone, html`${label === undefined || label === '!' ? raw('') : html`${label} `}${text}`),
    );
  return html`<div>${loss === undefined ? raw('') : line('bad', html`${loss}`)}${lines(before)}${valuesHtml(values?.())}${lines(after)}</div>`;
}

function valuesHtml(values: readonly LabeledChange[] = []): readonly Html[] {
  return values.map(({ label, change }) => {
    const drawn = piecesOf(change, WHOLE).map(
      (piece) => html` <span class="${raw(piece.tone)}">${pieceText(piece)}</span>`,
    );
    return html`<p class="mono"><span class="dim">${label}</span>${drawn}</p>`;
  });
}

interface Html {
  readonly markup: string;
}

/** A template; its values are escaped, in text and in quoted attributes alike. */
export function html(
  strings: TemplateStringsArray,
  ...parts: readonly (Html | readonly Html[] | Text | number)[]
): Html {
  return { markup: strings.reduce((markup, string, index) => markup + markupOf(parts[index - 1]) + string) };
}

/** Marks text of the program as markup. */
function raw(markup: string): Html {
  return { markup };
}

function markupOf(part: Html | readonly Html[] | Text | number = 0): string {
  if (typeof part === 'string') return escapeHtml(part);
  if (typeof part === 'number') return String(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
