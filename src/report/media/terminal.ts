/** Lays out a document for a terminal or a log: changes first, summary last. */
import { type Block, type Document, type Entry, type List, shownOn, type Tone } from '../document.ts';
import { guarded, joinShortenedTexts, MAX_NAMED, moreOf, say } from '../sanitize.ts';
import { flow, hang, linedUp, type Page, pageOf, type RenderOptions } from '../text.ts';
import { drawn, INDENT, namesOf } from './entries.ts';
import { messageLines, problemsLines } from './problems.ts';

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
  // All entries are one block, so that their columns align.
  const entries = body.flatMap((block) => (block.kind === 'entries' ? block.items : []));
  const first = body.find(({ kind }) => kind === 'entries');
  for (const block of body) {
    if (block === first) yield entryLines(entries, page);
    else if (block.kind !== 'entries') yield linesOf(block, page);
  }
  yield [
    ...(entries.some(isCut)
      ? [style.dim('Shortened. Use --report json=FILE for every domain and value.')]
      : []),
    ...facts.flatMap((text) => hang('', text, width, 2).map(style.dim)),
  ];
  for (const block of notices) yield linesOf(block, page);
  yield summary.map(style.strong);
}

function isCut({ members = [], isRisky }: Entry): boolean {
  return members[0]?.().lines !== undefined || (!isRisky && members.length > MAX_NAMED);
}

function linesOf(block: Block, page: Page): Iterable<string> {
  switch (block.kind) {
    case 'entries':
      return entryLines(block.items, page);
    case 'messages':
      return block.items.flatMap((message) => messageLines(message, page));
    case 'list':
      return listLines(block, page);
    case 'table':
      return linedUp(block.head === undefined ? block.items : [block.head, ...block.items]);
    case 'problems':
      return [
        ...problemsLines(block.items.slice(0, MAX_ITEMS), page).flat(),
        ...moreOf(block.items.length - MAX_ITEMS, say`problem`).flatMap((text) => ['', text]),
      ];
  }
}

function* entryLines(entries: readonly Entry[], page: Page): Generator<string> {
  const room = page.width - INDENT.length;
  for (const { entry, lines } of drawn(entries, page)) {
    for (const { tone, text } of lines) yield isAlert(tone) ? text.replace(INDENT, ALERT_INDENT) : text;
    // Shows all names if each is a risk, otherwise only the first names.
    const { members = [], isRisky } = entry;
    const names = namesOf(entry, isRisky ? members.length : MAX_NAMED);
    for (const line of [...flow(names, room), ...moreOf(members.length - names.length)]) yield INDENT + line;
  }
}

const ALERT_INDENT = '    ! ';

function isAlert(tone: Tone): boolean {
  return tone === 'bad' || tone === 'warn';
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
