/** Lays out a document as one self-contained HTML page. Its content security policy forbids all network requests. */
import type { Digest } from '../../model/plan.ts';
import {
  type Block,
  type Document,
  type Entries,
  type Entry,
  type EntryLine,
  type Member,
  type Message,
  SIGN_TONES,
  shownOn,
  type Table,
  worstTone,
} from '../document.ts';
import { guarded, type Harmless, say, type Text } from '../sanitize.ts';
import { pageOf } from '../text.ts';
import { count } from '../words.ts';
import { SCRIPT, STYLE } from './page.ts';
import { problemsLines } from './problems.ts';

/** Up to this number of changes, all details are open. Otherwise only critical and high risks are. */
const MAX_OPEN = 50;
const MAX_OPEN_NAMES = 25;
const PAGE = pageOf({ color: false, width: 120 });

/** `digest` must be SHA-256, for the content security policy. */
export function htmlText(document: Document, digest: Digest): string {
  const { about = say`Websites`, headline } = document;
  const { facts, footer, notices, body } = shownOn('page', document);
  const entries = body.filter((block) => block.kind === 'entries');
  const isOpen = entries.reduce((sum, block) => sum + block.count, 0) <= MAX_OPEN;
  const hasSearch = entries.some(({ level }) => level !== undefined);
  const title = say`${about}: ${headline}`;
  const elements = [
    element('h1', title),
    element('p.meta', facts.map(factHtml)),
    element('main', [
      notices.map((block) => blockHtml(block, isOpen)),
      hasSearch && SEARCH,
      body.map((block) => blockHtml(block, isOpen)),
    ]),
    footer.length > 0 && element('footer.meta', footer.map(factHtml)),
    hasSearch && { markup: `<script>${SCRIPT}</script>\n` },
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(digest, hasSearch)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex">
${element('title', title).markup}<style>${STYLE}</style>
</head>
<body>
${markupOf(elements)}</body>
</html>
`;
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

const SEARCH: Html = {
  markup:
    '<div class="search" hidden><input type="search" placeholder="Search domains, settings, files" aria-label="Search changes"></div>\n',
};

function factHtml(text: Text): Html {
  return element('span', text);
}

function blockHtml(block: Block, isOpen: boolean): Html {
  switch (block.kind) {
    case 'messages':
      return element(`div.guard.${worstTone(block)}`, block.items.map(messageHtml));
    case 'list': {
      const { title, items, tone } = block;
      const rows = items.map((text) => element('li', text));
      const isShown = tone === 'bad' || items.length <= MAX_OPEN_NAMES;
      const list = details(element('summary', title), element('ul.mono', rows), isShown);
      return element(tone === 'bad' || tone === 'warn' ? `div.guard.${tone}` : 'div.card', list);
    }
    case 'table':
      return tableHtml(block);
    case 'entries':
      return entriesHtml(block, isOpen);
    case 'problems': {
      const lines = problemsLines(block.items, PAGE)
        .flat()
        .map((line) => `${guarded(line)}\n` as Text);
      return element('div.card', element('pre', lines));
    }
  }
}

function details(summary: Html, content: Html, isOpen: boolean): Html {
  const inner = markupOf([summary, content]);
  return { markup: `<details${isOpen ? ' open' : ''}>${inner}</details>\n` };
}

function messageHtml({ label, text, place, stack: [first] = [], remedy, more }: Message): Part {
  return [
    (label ?? text) && element('p', label && [element('strong', say`${label}:`), say` `], text),
    first && element('p.mono', first),
    place && element('p.mono', place),
    remedy && element('p', remedy),
    more && element('p.dim', say`More: `, element('code', say`websites explain ${more}`)),
  ];
}

function tableHtml({ title, head, items }: Table): Html {
  const rows = items.map(({ cells: [first, ...others], level }) => {
    const cells = others.map((cell) => element('td', cell));
    return element('tr', element(level ? `td.${level}` : 'td', first), cells);
  });
  const titles = head?.map((cell) => element('th', cell));
  const table = element('table', titles && element('tr', titles), rows);
  return element('div.card', title && element('h2', title), table);
}

function entriesHtml({ title, level, noun, count: total, items }: Entries, isOpen: boolean): Html {
  const isGrave = level !== 'medium' && level !== 'low';
  const heading = element(`h2.${level ?? 'bad'}`, say`${title}: ${count(total, noun)}`);
  const rows = items.map((entry) => entryHtml(entry, isOpen));
  return details(element('summary', heading), element('ul.changes', rows), isOpen || isGrave);
}

function entryHtml(entry: Entry, isOpen: boolean): Html {
  const { members, sign, word, isRisky } = entry;
  const does = element(`span.${SIGN_TONES[sign]}`, sign === '-' ? say`−` : say`${sign}`, say` ${word}`);
  if (members === undefined) return element('li', rowHtml('div.row', does, entry));
  const rows = members.map((member) => {
    return element('li', rowHtml('div.row', element('span'), member));
  });
  const isShown = isOpen || (isRisky === true && members.length <= MAX_OPEN_NAMES);
  return element('li', details(rowHtml('summary.row', does, entry), element('ul', rows), isShown));
}

function rowHtml(
  name: 'div.row' | 'summary.row',
  does: Html,
  { name: title, id, place, lines }: Member,
): Html {
  return element(
    name,
    does,
    element('span.name.mono', title, say` `, id && element('span.id', id)),
    element('div', lines?.().map(lineHtml)),
    element('span.place.mono', place),
  );
}

function lineHtml(line: EntryLine): Html {
  if ('pieces' in line) {
    const pieces = line.pieces.map(({ tone, text }) => [say` `, element(`span.${tone}`, text)]);
    return element('p.mono', element('span.dim', line.label), pieces);
  }
  const { tone = 'plain', label, text } = line;
  return element(`p.${tone}`, label && !label.startsWith('!') && say`${label} `, text);
}

interface Html {
  readonly markup: string;
}

type Part = Html | readonly Part[] | Text | false | undefined;

const INLINE = /^(?:span|strong|code|t[dh])\b/;

/** Makes an element that escapes its texts. Its name can have classes, such as `p.mono`. */
export function element<const Name extends string>(name: Name & Harmless<Name>, ...parts: Part[]): Html {
  const [tag, ...classes] = (name as string).split('.');
  const attribute = classes.length > 0 ? ` class="${classes.join(' ')}"` : '';
  const end = INLINE.test(name) ? '' : '\n';
  return { markup: `<${tag}${attribute}>${markupOf(parts)}</${tag}>${end}` };
}

function markupOf(part: Part): string {
  if (part === undefined || part === false) return '';
  if (typeof part === 'string') return part.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return 'markup' in part ? part.markup : part.map(markupOf).join('');
}
