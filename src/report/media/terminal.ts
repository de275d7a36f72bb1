/** Lays out a document for a terminal or a log: changes first, summary last. */
import type { Problem } from '../../model/errors.ts';
import type { Block, Document, Entries, Entry, List, Message, Table } from '../document.ts';
import { guarded, say } from '../sanitize.ts';
import { flow, hang, linedUp, type Page, pad, pageOf, type RenderOptions, widestOf, wrap } from '../text.ts';
import { count, joinShortenedTexts, moreOf, NAMED } from '../words.ts';
import { drawn, INDENT, namesOf } from './entries.ts';
import { docsLine, foldedLines, problemsLines, worstFirst } from './problems.ts';

const MOST = 50;

export function terminalText(document: Document, options: RenderOptions): string {
  return [...terminalPieces(document, options)].join('');
}

/** Returns the document in pieces. No piece is longer than one entry. */
export function* terminalPieces(document: Document, options: RenderOptions): Generator<string> {
  const page = pageOf(options);
  let isFirst = true;
  for (const block of blocksOf(document, page)) {
    let isEmpty = true;
    for (const line of block) {
      if (isEmpty && !isFirst) yield '\n';
      isEmpty = isFirst = false;
      yield `${guarded(line)}\n`;
    }
  }
}

function* blocksOf(
  { body = [], notices = [], facts = [], summary = [] }: Document,
  page: Page,
): Generator<Iterable<string>> {
  const { style, width } = page;
  const shown = body.filter(({ on }) => on !== 'page');
  const isQuiet = (block: Block): boolean => block.kind === 'list' && block.tone === 'dim';
  for (const block of merged(shown.filter((one) => !isQuiet(one)))) yield linesOf(block, page);
  yield [
    ...(shown.some((block) => block.kind === 'entries' && block.entries.some(isCut))
      ? [style.dim('Shortened. Use --report json=FILE for every domain and value.')]
      : []),
    ...facts.flatMap(({ label, text }) =>
      label === undefined || text === '' ? [] : hang(`${label}: `, text, width).map(style.dim),
    ),
    ...shown.filter(isQuiet).flatMap((block) => [...linesOf(block, page)]),
  ];
  for (const block of notices) if (block.on !== 'page') yield linesOf(block, page);
  yield summary.map(style.strong);
}

/** Joins all entries into one block, so that their columns align. */
function merged(blocks: readonly Block[]): Block[] {
  const isPlain = (block: Block): block is Entries => block.kind === 'entries';
  const [first, ...others] = blocks.filter(isPlain);
  if (first === undefined) return [...blocks];
  const all = { ...first, entries: [first, ...others].flatMap(({ entries }) => entries) };
  return blocks.flatMap((block) => (block === first ? all : isPlain(block) ? [] : block));
}

function isCut({ members = [], isRisky }: Entry): boolean {
  return members[0]?.values !== undefined || (!isRisky && members.length > NAMED);
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
      return problemLines(block.problems, page);
  }
}

function* entryLines(block: Entries, page: Page): Generator<string> {
  const { entries, most = entries.length } = block;
  const room = page.width - INDENT.length;
  for (const { entry, head, body } of drawn(entries.slice(0, most), page)) {
    yield* head;
    for (const { text } of body) yield text;
    // Shows all names if each is a risk, otherwise only the first ones.
    const all = namesOf(entry);
    const names = entry.isRisky ? all : all.slice(0, NAMED);
    const lines = [...flow(names, room), ...moreOf(all.length - names.length)];
    for (const line of lines) yield INDENT + line;
  }
  if (entries.length <= most) return;
  yield `… and ${count(entries.length - most, 'more record')}:`;
  const names = entries.slice(most).map(({ sign, name }) => `${sign} ${name}`);
  for (const line of flow(names, room)) yield INDENT + line;
}

function messageLines({ tone, label, text, place, stack = [], remedy, more }: Message, page: Page): string[] {
  const { style } = page;
  const said = [label && `${style[tone](label)}:`, text].filter((part) => part !== undefined).join(' ');
  const indent = text === undefined ? '' : '  ';
  return [
    ...(said === '' ? [] : foldedLines('', said, page)),
    ...stack.map((line) => `  ${line}`),
    ...(place === undefined ? [] : [`  at ${place}`]),
    ...(remedy === undefined ? [] : foldedLines(indent, `${style.good('help:')} ${remedy}`, page)),
    ...(more === undefined ? [] : [docsLine(more, style)]),
  ];
}

function listLines({ title, tone, items, isShort }: List, page: Page): string[] {
  const { style, width } = page;
  const paint = style[tone === 'plain' ? 'strong' : tone];
  if (isShort) {
    const text = wrap(`${title}: ${joinShortenedTexts(items)}`, width - 2);
    const [first = '', ...others] = text.map((line, at) => (at === 0 ? line : `  ${line}`));
    if (tone === 'dim') return [first, ...others].map(paint);
    return [first.replace(title, () => paint(title)), ...others];
  }
  const shown = [...items.slice(0, MOST), ...moreOf(items.length - MOST)];
  const lines = shown.flatMap((item) => foldedLines('  ', item, page));
  return [paint(`${title}:`), ...(tone === 'dim' ? lines.map(paint) : lines)];
}

/** If not all problems are shown, errors come before warnings. */
function problemLines(problems: readonly Problem[], page: Page): string[] {
  const shown = new Set(worstFirst(problems).slice(0, MOST));
  const some = problems.filter((problem) => shown.has(problem));
  const parts = [...problemsLines(some, page), moreOf(problems.length - some.length, say`problem`)];
  return parts.filter(({ length }) => length > 0).flatMap((lines, at) => (at === 0 ? lines : ['', ...lines]));
}

function tableLines({ title, head, rows }: Table, { width }: Page): string[] {
  const cells = rows.map((row) => row.cells);
  if (title !== undefined) return [title, ...linedUp(cells).map((line) => `  ${line}`)];
  if (head !== undefined) return linedUp([head, ...cells]);
  const first = widestOf(cells.map(([topic = '']) => topic)) + 2;
  return cells.flatMap(([topic = '', text = '']) => hang(pad(topic, first), text, width));
}
