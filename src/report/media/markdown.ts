/**
 * Lays out a document as a comment on a pull request or a job summary, in GitHub Flavored Markdown. Foreign text is
 * only in code spans and code blocks. So it cannot become HTML, a link, a mention (`@team`), a reference (`#12`) or a
 * quick action (`/close`).
 */
import {
  type Block,
  type Document,
  type Entries,
  type Fact,
  type Message,
  onPage,
  type Table,
  worstTone,
} from '../document.ts';
import { guarded, prose, say, type Text } from '../sanitize.ts';
import { filePage, flow } from '../text.ts';
import { count } from '../words.ts';
import { type Drawn, drawn, INDENT, namesOf } from './entries.ts';
import { problemsLines, worstFirst } from './problems.ts';

export interface MarkdownOptions {
  /** Maximum length in UTF-16 code units, at least 4,000. The default is 64,000. */
  readonly limit?: number;
}

/** GitHub allows 65,536 characters, and the action adds some. GitLab and job summaries allow more. */
const COMMENT_LIMIT = 64_000;
/** Width of a comment that needs no horizontal scrolling. */
const FENCE = filePage(100);
/** Number of visible lines of a section. The rest is collapsed. */
const OPEN = 40;
/** Maximum number of names of equal changes without risk, and of problems. */
const [NAMES, PROBLEMS] = [100, 1_000];
const [MAX_LENGTH, MAX_ITEM, MAX_FACT] = [800, 400, 300];
/** Characters that a section needs for its code block, its fold and the number of omitted items. */
const FRAME = 250;

/** Truncates a document that is too long: routine changes first, dangerous changes last. */
export function markdownText(document: Document, { limit = COMMENT_LIMIT }: MarkdownOptions = {}): string {
  const { marker, headline } = document;
  const { facts, footer, notices, body } = onPage(document);
  const blocks = [...notices, ...body].map((block) => ({ block, section: sectionOf(block), text: '' }));
  // The hidden first line is a mark. A job finds its earlier comment by it and replaces the comment.
  const mark = marker === undefined ? '' : `<!-- websites-as-code:${marker} -->`;
  const head = [mark, `## Websites: ${inline(headline)}`];
  const tail = footer.length === 0 ? [] : ['---', `<sub>${factsText(footer)}</sub>`];
  const fixed = [...head, factsText(facts), ...tail, ...blocks.flatMap(({ section }) => section.head)];
  let room = limit - blocks.length * FRAME - fixed.reduce((sum, text) => sum + text.length + 2, 0);
  for (const one of blocks.toSorted((a, b) => rankOf(a.block) - rankOf(b.block))) {
    const [lines, length] = fitting(one.section, room);
    one.text = lines.map(guarded).join('\n');
    room -= length;
  }
  const texts = blocks.map(({ text }) => text);
  const [first, others] = [texts.slice(0, notices.length), texts.slice(notices.length)];
  const parts = [...head, ...first, factsText(facts), ...others, ...tail];
  return parts.flatMap((part) => (part === '' ? [] : [`${part}\n`])).join('\n');
}

function rankOf(block: Block): number {
  if (block.kind !== 'entries') return block.kind === 'list' ? 1 : 0;
  return block.level === 'medium' || block.level === 'low' ? 2 : 0;
}

function factsText(facts: readonly Fact[]): string {
  const texts = facts.map(({ label, text }) =>
    inline(label === undefined ? text : say`${label}: ${text}`, MAX_FACT),
  );
  return texts.join(' · ');
}

/** A block as items. Each item is shown completely or not at all. */
interface Section {
  readonly head: readonly string[];
  /** Language of the code block around the items, if there is one. */
  readonly fence?: string;
  readonly alert?: 'WARNING' | 'CAUTION' | undefined;
  readonly isWhole?: true;
  readonly items: Iterable<Item>;
  readonly count: number;
  readonly noun: Text;
}

interface Item {
  readonly lines: readonly string[];
  /** Number of changes or records in this item. The section counts them. */
  readonly names: number;
}

function sectionOf(block: Block): Section {
  switch (block.kind) {
    case 'entries': {
      const { title, count: all, noun } = block;
      const head = headOf(say`${title}: ${count(all, noun)}`);
      return { head, fence: 'diff', items: changeItems(block), count: all, noun };
    }
    case 'messages': {
      const tone = worstTone(block);
      const alert = tone === 'bad' ? 'CAUTION' : tone === 'warn' ? 'WARNING' : undefined;
      return { head: [], ...itemsOf(block.items, messageLines), alert, isWhole: true, noun: say`message` };
    }
    case 'list': {
      const { title, items } = block;
      return {
        head: headOf(title),
        ...itemsOf(items, (text) => [`- ${inline(text, MAX_ITEM)}`]),
        noun: say`item`,
      };
    }
    case 'table':
      return { head: tableHead(block), ...itemsOf(block.rows, rowLines), isWhole: true, noun: say`row` };
    case 'problems': {
      const problems = problemsLines(worstFirst(block.problems).slice(0, PROBLEMS), FENCE);
      const { items } = itemsOf(problems, (lines, at) => (at === 0 ? lines : ['', ...lines]));
      return { head: [], fence: '', items, count: block.problems.length, noun: say`problem` };
    }
  }
}

function headOf(title: Text): string[] {
  return [`### ${inline(title)}`, ''];
}

function itemsOf<T>(all: readonly T[], draw: (item: T, at: number) => readonly string[]) {
  function* items(): Generator<Item> {
    for (const [at, item] of all.entries()) yield { lines: draw(item, at), names: 1 };
  }
  return { items: items(), count: all.length };
}

/** GitHub and GitLab color a line of a diff by its first character. `!` means neither added nor removed. */
const DIFF_SIGNS = { add: '+', remove: '-', warn: '!', bad: '!', change: '!', dim: ' ', plain: '', good: '' };

function* changeItems({ entries }: Entries): Generator<Item> {
  for (const one of drawn(entries, FENCE)) {
    const { members, isRisky, sign: own } = one.entry;
    const sign = own === '~' ? '!' : own;
    const lines = changeLines(one, sign);
    const indent = sign + INDENT.slice(1);
    if (members === undefined) yield { lines, names: 1 };
    else if (isRisky) {
      yield { lines, names: 0 };
      for (const name of namesOf(one.entry)) yield { lines: [indent + name], names: 1 };
    } else {
      const names = namesOf(one.entry).slice(0, NAMES);
      const flowed = flow(names, FENCE.width - INDENT.length).map((line) => indent + line);
      yield { lines: [...lines, ...flowed], names: names.length };
    }
  }
}

function changeLines({ head: [first = '', ...rest], body }: Drawn, sign: string): string[] {
  // In a diff, the sign must be in the first column.
  const signed = body.map(
    ({ tone, text }) => (DIFF_SIGNS[tone] || sign) + text.slice(1).replace(/^( +)! /, '$1'),
  );
  return [sign + first.slice(1), ...rest, ...signed];
}

function messageLines({ label, text, place, stack = [], remedy, more }: Message): string[] {
  const title = label && `**${inline(label).replace(/^./, (first) => first.toUpperCase())}:**`;
  const lines = [
    [title, text && inline(text, MAX_LENGTH)].filter(Boolean).join(' '),
    ...stack.slice(0, 1).map((line) => code(line)),
    place && `At ${code(place, MAX_ITEM)}`,
    remedy && `**Help:** ${inline(remedy, MAX_LENGTH)}`,
    more && `**More:** ${code(`websites explain ${more}`)}`,
  ];
  return lines.flatMap((line) => line || []);
}

function tableHead({ title, head, rows: [first] }: Table): string[] {
  const titles = head ?? first?.cells.map(() => say``) ?? [];
  return [
    ...(title === undefined ? [] : headOf(title)),
    `| ${titles.join(' | ')} |`,
    `| ${titles.map(() => '---').join(' | ')} |`,
  ];
}

function rowLines({ cells, level }: Table['rows'][number]): string[] {
  const texts = cells.map((text, at) => (at === 0 && level ? `**${level}**` : inline(text, MAX_ITEM)));
  // A bar would end the cell, even in code (GFM 0.29, 4.10).
  return [`| ${texts.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`];
}

function cutNote(left: number, noun: Text): string[] {
  const formats = `The formats ${code('json')} and ${code('html')} have everything.`;
  return left === 0
    ? []
    : ['', '> [!NOTE]', `> **Cut to fit:** ${count(left, say`more ${noun}`)}. ${formats}`];
}

/** Returns the lines of a section with the items that fit into `room` characters, and the length of these items. */
function fitting(section: Section, room: number): readonly [readonly string[], number] {
  const { head, fence, alert, isWhole, items, count: all, noun } = section;
  const [open, more]: [string[], string[]] = [[], []];
  let [length, shown, shownOpen] = [0, 0, 0];
  for (const { lines, names } of items) {
    // Backticks could close the code block (CommonMark 0.31, 4.5).
    const own =
      fence === undefined ? lines : lines.map((line) => line.replaceAll('```', '\\u0060\\u0060\\u0060'));
    length += own.reduce((sum, line) => sum + line.length + '> \n'.length, 0);
    if (length > room) break;
    shown += names;
    if (isWhole || open.length === 0 || (more.length === 0 && open.length + own.length <= OPEN)) {
      open.push(...own);
      shownOpen = shown;
    } else more.push(...own);
  }
  const drawnLines = (lines: readonly string[]): readonly string[] =>
    fence === undefined || lines.length === 0 ? lines : fenced(fence, lines);
  const marked = alert === undefined ? open : [`[!${alert}]`, ...open].map((line) => `> ${line}`);
  const summary = `<summary>Show ${count(shown - shownOpen, say`more ${noun}`)}</summary>`;
  const rest =
    more.length === 0 ? [] : ['', `<details>${summary}`, '', ...drawnLines(more), '', '</details>'];
  return [[...head, ...drawnLines(marked), ...rest, ...cutNote(all - shown, noun)], Math.min(length, room)];
}

/** Returns a code span (CommonMark 0.31, 6.1). Its delimiters are longer than any run of backticks in the text. */
export function code(text: string, longest?: number): string {
  const shown = prose(text, longest) || ' ';
  const ticks = '`'.repeat(Math.max(0, ...(shown.match(/`+/g) ?? []).map(({ length }) => length)) + 1);
  const space = /^`|`$/.test(shown) ? ' ' : '';
  return ticks + space + shown + space + ticks;
}

function fenced(language: string, lines: readonly string[]): string[] {
  return [`\`\`\`${language}`, ...lines, '```'];
}

/** Matches a quotation, a flag with its number, a change with its sign, or a word. */
const TOKEN = /\(?"[^"]*"[^ ]*|--[\w-]+ \d[^ ]*|(?<![^ ])[+~-] [^ ]+|[^ ]+/g;
/** Matches a word or a small number, also in quotes or brackets. Excludes the start of a list, and a commit ID. */
const PLAIN =
  /^(?:(?![("]*[0-9a-f]{7,}\b)[("]*[a-z]+(?:['-][a-z]+)*[)"]*[.,;:?]?|\(\d{1,6}\)[.,;:?]?|\(?\d{1,6}(?:\.\d{1,2})?%?[,;:?]?|[→×…])$/i;

/** Formats a sentence: words and small numbers stay as they are, everything else becomes code. */
export function inline(text: string, longest?: number): string {
  return prose(text, longest).replace(TOKEN, (token) => {
    if (token.split(' ').every((word) => PLAIN.test(word))) return token;
    const [, open = '', core = '', close = ''] = /^([("]*)(.*?)([)"]*[.,;:?]?)$/.exec(token) ?? [];
    return core === '' ? code(token) : open + code(core) + close;
  });
}
