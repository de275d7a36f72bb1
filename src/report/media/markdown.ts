/**
 * Lays out a document as a comment on a pull request or a job summary, in GitHub Flavored Markdown. Foreign text is
 * only in code spans and code blocks. So it cannot become HTML, a link, a mention (`@team`), a reference (`#12`) or a
 * quick action (`/close`).
 */
import {
  type Block,
  type Document,
  type Entries,
  type Message,
  shownOn,
  type Table,
  type Tone,
} from '../document.ts';
import { guarded, present, prose, type Text } from '../sanitize.ts';
import { flow, pageOf } from '../text.ts';
import { drawn, INDENT, namesOf } from './entries.ts';
import { problemsLines } from './problems.ts';

export interface MarkdownOptions {
  /** Maximum length in UTF-16 code units, at least 4,000. The default is 64,000. */
  readonly limit?: number;
}

/** GitHub allows 65,536 characters, and the action adds some. GitLab and job summaries allow more. */
const MAX_COMMENT = 64_000;
/** Width of a comment that needs no horizontal scrolling. */
const FENCE = pageOf({ color: false, width: 100 });
/** Number of visible lines of a section. The rest is collapsed. */
const MAX_OPEN = 40;
/** Maximum number of names of equal changes without risk, and of problems. */
const [NAMES, PROBLEMS] = [100, 1_000];
const [MAX_LENGTH, MAX_ITEM, MAX_FACT] = [800, 400, 300];
/** Characters that a section needs for its code block, its fold and the number of omitted items. */
const FRAME = 250;

/** Truncates a document that is too long: routine changes first, dangerous changes last. */
export function markdownText(document: Document, { limit = MAX_COMMENT }: MarkdownOptions = {}): string {
  const { marker, headline } = document;
  const { facts, footer, notices, body } = shownOn('page', document);
  const parts = present<string | Section>([
    // The hidden first line is a mark. A job finds its earlier comment by it and replaces the comment.
    marker && `<!-- websites-as-code:${marker} -->`,
    `## Websites: ${inline(headline)}`,
    ...notices.map(sectionOf),
    factsText(facts),
    ...body.map(sectionOf),
    ...(footer.length === 0 ? [] : ['---', `<sub>${factsText(footer)}</sub>`]),
  ]);
  const sections = parts.filter((part) => typeof part !== 'string');
  const fixed = parts.flatMap((part) => (typeof part === 'string' ? part : part.head));
  let room = limit - sections.length * FRAME - fixed.reduce((sum, text) => sum + text.length + 2, 0);
  const texts = new Map<unknown, string>();
  for (const section of sections.toSorted((a, b) => a.rank - b.rank)) {
    const [lines, length] = fitting(section, room);
    texts.set(section, lines.map(guarded).join('\n'));
    room -= length;
  }
  return parts.map((part) => `${texts.get(part) ?? part}\n`).join('\n');
}

function factsText(facts: readonly Text[]): string {
  return facts.map((text) => inline(text, MAX_FACT)).join(' · ');
}

type Tones = Readonly<Partial<Record<Tone, string>>>;

/** A block as items. Each item is shown completely or not at all. */
interface Section {
  readonly rank: number;
  readonly head: readonly string[];
  /** Language of the code block around the items, if there is one. */
  readonly fence?: string;
  readonly items: Iterable<Item>;
  readonly count: number;
}

interface Item {
  readonly lines: readonly string[];
  /** Number of changes or records in this item. The section counts them. */
  readonly names: number;
}

function sectionOf(block: Block): Section {
  switch (block.kind) {
    case 'entries': {
      const rank = block.level === 'medium' || block.level === 'low' ? 2 : 0;
      return {
        rank,
        head: headOf(block.title),
        fence: 'diff',
        items: changeItems(block),
        count: block.count,
      };
    }
    case 'messages': {
      const alert = ALERTS[block.items[0]?.tone ?? 'plain'];
      const lines = block.items.map(messageLines);
      if (alert === undefined) return sectionWith([], lines);
      const quoted = lines.map((own) => own.map((line) => `> ${line}`));
      return sectionWith([`> [!${alert}]`], quoted);
    }
    case 'list': {
      const lines = block.items.map((text) => [`- ${inline(text, MAX_ITEM)}`]);
      return { ...sectionWith(headOf(block.title), lines), rank: 1 };
    }
    case 'table':
      return sectionWith(
        tableHead(block),
        block.items.map((cells) => [rowLine(cells.map((text) => inline(text, MAX_ITEM)))]),
      );
    case 'problems': {
      const lines = problemsLines(block.items.slice(0, PROBLEMS), FENCE);
      return { ...sectionWith([], lines), fence: '', count: block.items.length };
    }
  }
}

const ALERTS: Tones = { bad: 'CAUTION', warn: 'WARNING' };

function headOf(title: Text): string[] {
  return [`### ${inline(title)}`, ''];
}

function sectionWith(head: readonly string[], all: readonly (readonly string[])[]) {
  return { rank: 0, head, items: all.map((lines) => ({ lines, names: 1 })), count: all.length };
}

/** GitHub and GitLab color a line of a diff by its first character. `!` means neither added nor removed. */
const DIFF_SIGNS: Tones = { add: '+', remove: '-', warn: '!', bad: '!', change: '!', dim: ' ' };

function* changeItems({ items }: Entries): Generator<Item> {
  for (const { entry, lines: plain } of drawn(items, FENCE)) {
    const sign = entry.sign === '~' ? '!' : entry.sign;
    // In a diff, the sign must be in the first column.
    const lines = plain.map(({ tone, text }) => (DIFF_SIGNS[tone] ?? sign) + text.slice(1));
    const indent = sign + INDENT.slice(1);
    const names = namesOf(entry);
    if (entry.isRisky) {
      yield { lines, names: 0 };
      for (const name of names) yield { lines: [indent + name], names: 1 };
    } else {
      const shown = names.slice(0, NAMES);
      const flowed = flow(shown, FENCE.width - INDENT.length).map((line) => indent + line);
      yield { lines: [...lines, ...flowed], names: Math.max(1, shown.length) };
    }
  }
}

function messageLines({ label, text, place, stack: [first] = [], remedy, more }: Message): string[] {
  const title = label && `**${inline(label).replace(/^./, (letter) => letter.toUpperCase())}:**`;
  const lines = [
    [title, text && inline(text, MAX_LENGTH)].filter(Boolean).join(' '),
    first && code(first),
    place && `At ${code(place, MAX_ITEM)}`,
    remedy && `**Help:** ${inline(remedy, MAX_LENGTH)}`,
    more && `**More:** ${code(`websites explain ${more}`)}`,
  ];
  return present(lines);
}

function tableHead({ head, items: [first] }: Table): string[] {
  const titles = head ?? first?.map(() => '') ?? [];
  return [rowLine(titles), rowLine(titles.map(() => '---'))];
}

/** Escapes bars, because a bar ends the cell, even in code (GFM 0.29, 4.10). */
function rowLine(texts: readonly string[]): string {
  return `| ${texts.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** Returns the lines of a section with the items that fit into `room` characters, and the length of these items. */
function fitting(section: Section, room: number): readonly [readonly string[], number] {
  const { head, fence, items, count: all } = section;
  const [open, more]: [string[], string[]] = [[], []];
  let [length, shown] = [0, 0];
  for (const { lines, names } of items) {
    // Backticks could close the code block (CommonMark 0.31, 4.5).
    const own =
      fence === undefined ? lines : lines.map((line) => line.replaceAll('```', '\\u0060\\u0060\\u0060'));
    length += own.reduce((sum, line) => sum + line.length + '> \n'.length, 0);
    if (length > room) break;
    shown += names;
    if (open.length === 0 || (more.length === 0 && open.length + own.length <= MAX_OPEN)) {
      open.push(...own);
    } else more.push(...own);
  }
  const fenced = (lines: readonly string[]): readonly string[] =>
    fence === undefined || lines.length === 0 ? lines : [`\`\`\`${fence}`, ...lines, '```'];
  const formats = `The formats ${code('json')} and ${code('html')} have everything.`;
  const cut = `> **Cut to fit:** ${all - shown} more. ${formats}`;
  const lines = [
    ...head,
    ...fenced(open),
    ...(more.length === 0
      ? []
      : ['', '<details><summary>Show more</summary>', '', ...fenced(more), '', '</details>']),
    ...(all === shown ? [] : ['', '> [!NOTE]', cut]),
  ];
  return [lines, Math.min(length, room)];
}

/** Returns a code span (CommonMark 0.31, 6.1). Its delimiters are longer than any run of backticks in the text. */
export function code(text: string, longest?: number): string {
  const shown = prose(text, longest) || ' ';
  let ticks = '`';
  while (shown.includes(ticks)) ticks += '`';
  const space = /^`|`$/.test(shown) ? ' ' : '';
  return ticks + space + shown + space + ticks;
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
