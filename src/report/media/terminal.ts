/** Lays out a document for a terminal or a log: changes first, summary last. */
import type { Problem } from '../../model/errors.ts';
import {
  type Block,
  type Document,
  type Entries,
  type Entry,
  type List,
  shownOn,
  type Table,
} from '../document.ts';
import { guarded, say } from '../sanitize.ts';
import { flow, hang, linedUp, type Page, pad, pageOf, type RenderOptions, widestOf } from '../text.ts';
import { joinShortenedTexts, MAX_NAMED, moreOf } from '../words.ts';
import { drawn, INDENT, namesOf } from './entries.ts';
import { messageLines, problemsLines, worstFirst } from './problems.ts';

const MAX_ITEMS = 50;

export function terminalText(document: Document, options: RenderOptions): string {
  return [...terminalPieces(document, options)].join('');
}

/** Returns the document in pieces. No piece is longer than one entry. */
export function* terminalPieces(document: Document, options: RenderOptions): Generator<string> {
  let isFirst = true;
  for (const block of blocksOf(document, pageOf(options))) {
    let isEmpty = true;
    for (const line of block) {
      if (isEmpty && !isFirst) yield '\n';
      isEmpty = isFirst = false;
      yield `${guarded(line)}\n`;
    }
  }
}

function* blocksOf(document: Document, page: Page): Generator<Iterable<string>> {
  const { style, width } = page;
  const { facts, notices, body, summary } = shownOn('terminal', document);
  for (const block of merged(body)) yield linesOf(block, page);
  const isShortened = body.some((block) => block.kind === 'entries' && block.items.some(isCut));
  yield [
    ...(isShortened ? [style.dim('Shortened. Use --report json=FILE for every domain and value.')] : []),
    ...facts.flatMap((text) => hang('', text, width, 2).map(style.dim)),
  ];
  for (const block of notices) yield linesOf(block, page);
  yield summary.map(style.strong);
}

/** Joins all entries into one block, so that their columns align. */
function merged(blocks: readonly Block[]): Block[] {
  const all = blocks.filter((block) => block.kind === 'entries');
  const items = all.flatMap((block) => block.items);
  return blocks.flatMap((block) => {
    if (block.kind !== 'entries') return block;
    return block === all[0] ? { ...block, items } : [];
  });
}

function isCut({ members = [], isRisky }: Entry): boolean {
  return members[0]?.().lines !== undefined || (!isRisky && members.length > MAX_NAMED);
}

function linesOf(block: Block, page: Page): Iterable<string> {
  switch (block.kind) {
    case 'entries':
      return entryLines(block, page);
    case 'messages':
      return block.items.flatMap((message) => messageLines(message, page));
    case 'list':
      return listLines(block, page);
    case 'table':
      return tableLines(block, page);
    case 'problems':
      return problemLines(block.items, page);
  }
}

function* entryLines({ items }: Entries, page: Page): Generator<string> {
  const room = page.width - INDENT.length;
  for (const { entry, lines } of drawn(items, page)) {
    for (const { text } of lines) yield text;
    // Shows all names if each is a risk, otherwise only the first ones.
    const { members = [], isRisky } = entry;
    const names = namesOf(entry, isRisky ? members.length : MAX_NAMED);
    for (const line of [...flow(names, room), ...moreOf(members.length - names.length)]) yield INDENT + line;
  }
}

function listLines(
  { title, tone = 'plain', items, isParagraph }: List,
  { style, width, fold }: Page,
): string[] {
  const paint = style[tone === 'plain' ? 'strong' : tone];
  if (isParagraph) return hang('', `${title}: ${joinShortenedTexts(items)}`, width, 2).map(paint);
  const shown = [...items.slice(0, MAX_ITEMS), ...moreOf(items.length - MAX_ITEMS)];
  return [paint(`${title}:`), ...shown.flatMap((item) => hang('  ', item, fold, 4))];
}

/** If not all problems are shown, errors come before warnings. */
function problemLines(problems: readonly Problem[], page: Page): string[] {
  const shown = new Set(worstFirst(problems).slice(0, MAX_ITEMS));
  const more = moreOf(problems.length - shown.size, say`problem`);
  return [
    ...problemsLines(
      problems.filter((problem) => shown.has(problem)),
      page,
    ).flat(),
    ...more.flatMap((text) => ['', text]),
  ];
}

function tableLines({ head, items }: Table, { width }: Page): string[] {
  const cells = items.map((row) => row.cells);
  if (head !== undefined) return linedUp([head, ...cells]);
  const first = widestOf(cells.map(([topic = '']) => topic)) + 2;
  return cells.flatMap(([topic = '', text = '']) => hang(pad(topic, first), text, width));
}
