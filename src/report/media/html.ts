/** Lays out a document as one self-contained HTML page. Its content security policy forbids all network requests. */
import type { Digest } from '../../model/plan.ts';
import { memoize } from '../../util/memoize.ts';
import {
  type Block,
  type Document,
  type Entries,
  type Entry,
  type EntryLine,
  type List,
  type Member,
  type Message,
  SIGN_TONES,
  shownOn,
  type Table,
} from '../document.ts';
import { guarded, type Harmless, say, type Text } from '../sanitize.ts';
import { pageOf } from '../text.ts';
import { SCRIPT, STYLE } from './page.ts';
import { problemsLines } from './problems.ts';

/** Up to this number of changes or items, all details are open. Otherwise only critical and high risks are. */
const MAX_OPEN = 50;
const PAGE = pageOf({ color: false, width: 120 });

/** `digest` must be SHA-256, for the content security policy. */
export function htmlText(document: Document, digest: Digest): string {
  const { facts, footer, notices, body } = shownOn('page', document);
  const entries = body.filter((block) => block.kind === 'entries');
  const isOpen = entries.reduce((sum, block) => sum + block.count, 0) <= MAX_OPEN;
  const hasSearch = entries.length > 0;
  const title = say`Websites: ${document.headline}`;
  const elements = [
    element('h1', title),
    element('p.meta', facts.map(factHtml)),
    element(
      'main',
      notices.map((block) => blockHtml(block, isOpen)),
      hasSearch && SEARCH,
      body.map((block) => blockHtml(block, isOpen)),
    ),
    element('footer.meta', footer.map(factHtml)),
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
      return element(`div.card.${block.items[0]?.tone ?? 'plain'}`, block.items.map(messageHtml));
    case 'list': {
      const { title, items, tone = 'plain' }: List = block;
      const rows = items.map((text) => element('li', text));
      const list = element('ul.mono', rows);
      return element(`div.card.${tone}`, details(element('summary', title), list, items.length <= MAX_OPEN));
    }
    case 'table':
      return tableHtml(block);
    case 'entries':
      return entriesHtml(block, isOpen);
    case 'problems': {
      const lines = problemsLines(block.items, PAGE).flat().map(guarded);
      return element('div.card', element('pre', lines.join('\n') as Text));
    }
  }
}

function details(summary: Html, content: Html, isOpen: boolean): Html {
  return { markup: `<details${isOpen ? ' open' : ''}>${summary.markup}${content.markup}</details>\n` };
}

function messageHtml({ label, text, place, stack: [first] = [], remedy, more }: Message): Part {
  return [
    element('p', label && [element('strong', say`${label}:`), say` `], text),
    element('p.mono', first),
    element('p.mono', place),
    element('p', remedy),
    more && element('p.dim', say`More: `, element('code', say`websites explain ${more}`)),
  ];
}

function tableHtml({ head = [], items }: Table): Html {
  const rows = items.map((cells) => element('tr', ...cells.map((cell) => element('td', cell))));
  const titles = element('tr', ...head.map((cell) => element('th', cell)));
  return element('div.card', element('table', titles, rows));
}

function entriesHtml({ title, level = 'high', items }: Entries, isOpen: boolean): Html {
  const isGrave = level !== 'medium' && level !== 'low';
  const heading = element(`h2.${level}`, title);
  const rows = items.map((entry) => entryHtml(entry, isOpen));
  return details(element('summary', heading), element('ul.changes', rows), isOpen || isGrave);
}

function entryHtml(entry: Entry, isOpen: boolean): Html {
  const { members, sign, word, isRisky = false } = entry;
  const does = element(`span.does.${SIGN_TONES[sign]}`, say`${sign} ${word}`);
  if (members === undefined) return rowHtml('li.row', entry, does);
  const rows = members.map((member) => rowHtml('li.row', member()));
  const isShown = isOpen || (isRisky && members.length <= MAX_OPEN);
  return element('li', details(rowHtml('summary.row', entry, does), element('ul', rows), isShown));
}

function rowHtml(kind: 'li.row' | 'summary.row', { name, id, place, lines }: Member, does?: Html): Html {
  return element(
    kind,
    does,
    element('span.name', name, id && [say` `, element('span.id', id)]),
    element('div', lines?.().map(lineHtml)),
    element('span.place', place),
  );
}

function lineHtml(line: EntryLine): Html {
  if ('pieces' in line) {
    const pieces = line.pieces.map(({ tone, text }) => [say` `, element(`span.${tone}`, text)]);
    return element('p.mono', element('span.dim', line.label), pieces);
  }
  const { tone = 'plain', text } = line;
  return element(`p.${tone}`, text);
}

interface Html {
  readonly markup: string;
}

type Part = Html | readonly Part[] | Text | false | undefined;

const INLINE = /^(?:span|strong|code|t[dh])\b/;

/** Makes an element with escaped texts, or nothing without content. Its name can have classes, such as `p.mono`. */
export function element<const Name extends string>(name: Name & Harmless<Name>, ...parts: Part[]): Html {
  const content = markupOf(parts);
  const [open, close] = tagsOf(name);
  return { markup: content === '' ? '' : open + content + close };
}

/** A page has thousands of elements, but only a few names. */
const tagsOf = memoize((name: string): readonly [string, string] => {
  const [tag, ...classes] = name.split('.');
  const attribute = classes.length > 0 ? ` class="${classes.join(' ')}"` : '';
  return [`<${tag}${attribute}>`, `</${tag}>${INLINE.test(name) ? '' : '\n'}`];
});

function markupOf(part: Part): string {
  if (part === undefined || part === false) return '';
  if (typeof part === 'string') return part.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
  return 'markup' in part ? part.markup : part.map(markupOf).join('');
}
