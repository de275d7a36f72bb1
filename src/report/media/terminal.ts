/** A document for a terminal or a log: the changes first, the summary last. */
import type { Problem } from '../../model/errors.ts';
import type { Block, Document, Entries, Entry, Message, Messages, NameList, Table } from '../document.ts';
import { guarded, joinTexts, say, type Text } from '../sanitize.ts';
import { flow, hang, linedUp, type Page, pad, pageOf, type RenderOptions, widestOf } from '../text.ts';
import { count, moreOf, NAMED } from '../words.ts';
import { INDENT, layOut, memberLines } from './entries.ts';
import { docsLine, foldedLines, problemsLines, worstFirst } from './problems.ts';

const MOST = { messages: 20, list: 50, groups: 20, problems: 50 };

export function terminalText(document: Document, options: RenderOptions): string {
  return [...terminalPieces(document, options)].join('');
}

/** The same in pieces, none of them longer than one entry. */
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

function* blocksOf(document: Document, page: Page): Generator<Iterable<string>> {
  const isShown = ({ on }: Block): boolean => on !== 'page';
  const body = (document.body ?? []).filter(isShown);
  const isQuiet = (block: Block): boolean =>
    block.kind === 'groups' || (block.kind === 'names' && block.tone === 'dim');
  for (const block of joined(body.filter((block) => !isQuiet(block)))) yield linesOf(block, page);
  yield [
    ...shortenedLines(body, page),
    ...factLines(document, page),
    ...body.filter(isQuiet).flatMap((block) => [...linesOf(block, page)]),
  ];
  for (const block of joined((document.notices ?? []).filter(isShown))) yield linesOf(block, page);
  if (document.summary !== undefined) yield [page.style.strong(document.summary)];
}

function isLabeled(block: Block): block is Messages {
  return block.kind === 'messages' && !block.noun && block.items.every(({ label }) => label);
}

/** Merges untitled entries, and messages with a label, into one block, so that they line up. */
function joined(blocks: readonly Block[]): Block[] {
  const all: Block[] = [];
  for (const block of blocks) {
    const last = all.at(-1);
    if (block.kind === 'entries' && last?.kind === 'entries' && !block.isTitled && !last.isTitled) {
      all[all.length - 1] = { ...last, entries: [...last.entries, ...block.entries] };
    } else if (isLabeled(block) && last !== undefined && isLabeled(last)) {
      all[all.length - 1] = { ...last, items: [...last.items, ...block.items] };
    } else all.push(block);
  }
  return all;
}

function shortenedLines(blocks: readonly Block[], { style }: Page): string[] {
  const isShortened = ({ members }: Entry): boolean =>
    members !== undefined && (members.isMixed || (!members.isRisky && members.count > NAMED));
  if (!blocks.some((block) => block.kind === 'entries' && block.entries.some(isShortened))) return [];
  return [style.dim('Shortened. Use --report json=FILE for every domain and value.')];
}

function factLines({ facts = [] }: Document, { style, width }: Page): string[] {
  return facts.flatMap(({ label, text }) =>
    label === undefined ? [] : hang(`${label}: `, text, width).map(style.dim),
  );
}

function linesOf(block: Block, page: Page): Iterable<string> {
  const { style } = page;
  switch (block.kind) {
    case 'entries':
      return entryLines(block, page);
    case 'messages':
      return messagesLines(block, page);
    case 'names':
      return namesLines(block, page);
    case 'groups': {
      const titles = block.groups.map(({ title }) => title);
      return [`${block.title}:`, ...limited(titles, MOST.groups, undefined).map((text) => `  ${text}`)].map(
        style.dim,
      );
    }
    case 'list': {
      const items = limited(block.items, MOST.list, block.noun);
      return [
        style[block.tone === 'plain' ? 'strong' : block.tone](`${block.title}:`),
        ...items.flatMap((item) => foldedLines('  ', item, page)),
      ];
    }
    case 'table':
      return tableLines(block, page);
    case 'code':
      return [style.strong(`${block.title}:`), ...block.lines];
    case 'problems':
      return shownProblems(block.problems, page);
  }
}

function limited(items: readonly Text[], most: number, noun: Text | undefined): Text[] {
  return [...items.slice(0, most), ...moreOf(items.length - most, noun)];
}

function* entryLines(
  { title, isTitled, noun, count: total, entries, most = entries.length }: Entries,
  page: Page,
): Generator<string> {
  if (isTitled) yield `${page.style.bad(title)}: ${count(total, noun)}.`;
  for (const { entry, head, body } of layOut(entries.slice(0, most), page, true)) {
    yield* head;
    for (const line of body) yield line.lead + page.style[line.tone](line.text);
    if (entry.members !== undefined)
      yield* memberLines(entry, entry.members, page).map((line) => INDENT + line);
  }
  if (entries.length <= most) return;
  yield `… and ${count(entries.length - most, 'more record')}:`;
  const names = entries.slice(most).map(({ sign, name }) => `${sign} ${name}`);
  yield* flow(names, page.width - INDENT.length).map((line) => INDENT + line);
}

function messagesLines({ items, noun }: Messages, page: Page): string[] {
  const codes = [...new Set(items.map(({ more }) => more))];
  const sorted = codes.flatMap((code) => items.filter(({ more }) => more === code));
  const shown = noun === undefined ? sorted : sorted.slice(0, MOST.messages);
  return [
    ...shown.flatMap((message, index) => [
      ...messageLines(message, page),
      ...(message.more === undefined || shown[index + 1]?.more === message.more
        ? []
        : [docsLine(message.more, page.style)]),
    ]),
    ...moreOf(sorted.length - shown.length, noun),
  ];
}

function messageLines({ tone, label, text, place, stack = [], remedy }: Message, page: Page): string[] {
  const { style } = page;
  const said = [
    ...(label === undefined ? [] : [`${style[tone](label)}:`]),
    ...(text === undefined ? [] : [text]),
  ];
  const indent = text === undefined ? '' : '  ';
  return [
    ...(said.length === 0 ? [] : foldedLines('', said.join(' '), page)),
    ...stack.map((line) => `  ${line}`),
    ...(place === undefined ? [] : [`  at ${place}`]),
    ...(remedy === undefined ? [] : foldedLines(indent, `${style.good('help:')} ${remedy}`, page)),
  ];
}

/** If not all are shown, errors come before warnings. */
function shownProblems(problems: readonly Problem[], page: Page): string[] {
  const shown = new Set(worstFirst(problems).slice(0, MOST.problems));
  const parts: (readonly string[])[] = [
    ...problemsLines(
      problems.filter((problem) => shown.has(problem)),
      page,
    ),
    moreOf(problems.length - shown.size, say`problem`),
  ];
  return parts
    .filter((lines) => lines.length > 0)
    .flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]));
}

function namesLines({ title, tone, names }: NameList, { style, width }: Page): string[] {
  const texts = names
    .slice(0, NAMED)
    .map(({ text, note }) => (note === undefined ? text : say`${text} (${note})`));
  const more = names.length > NAMED ? ` … and ${names.length - NAMED} more` : '';
  const [first = '', ...others] = hang(`${title}: `, joinTexts(texts) + more, width);
  if (tone === 'dim') return [first, ...others].map(style.dim);
  return [style[tone](title) + first.slice(title.length), ...others];
}

function tableLines({ title, head, rows, wraps }: Table, { width }: Page): string[] {
  const cells = rows.map((row) => row.cells);
  const all = head === undefined ? cells : [head, ...cells];
  if (title !== undefined) return [title, ...linedUp(all).map((line) => `  ${line}`)];
  if (!wraps) return linedUp(all);
  const first = widestOf(cells.map(([topic = '']) => topic)) + 2;
  return cells.flatMap(([topic = '', text = '']) => hang(pad(topic, first), text, width));
}
