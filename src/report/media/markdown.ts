/** A document as a comment on a pull request or a step summary, cut by rank if it is too long. */
import {
  type Block,
  type Document,
  type Entries,
  type Entry,
  type Fact,
  type List,
  type Message,
  type Messages,
  type NameGroups,
  type NameList,
  onPage,
  type Table,
  type Tone,
} from '../document.ts';
import {
  alert,
  cell,
  code,
  FENCE,
  fenced,
  fitting,
  folded,
  inline,
  type MarkdownOptions,
} from '../markdown.ts';
import { guarded, say, type Text } from '../sanitize.ts';
import { flow } from '../text.ts';
import { count, moreOf } from '../words.ts';
import { INDENT, layOut, nameOf } from './entries.ts';
import { problemsLines, worstFirst } from './problems.ts';

/** The hidden first line by which a job finds its earlier comment and replaces it. */
const markerOf = (name: string): string => `<!-- websites-as-code:${name} -->`;

const [MESSAGES, NAMES, GROUPS, GROUP_NAMES] = [10, 100, 100, 20];
const OPEN = 25;
/** A section of routine changes with more lines is folded away. */
const LINES_OPEN = 60;
/** Names of an entry without risk that are shown before other entries have room. */
const FIRST_NAMES = 10;
/** The widest name, in columns, for which two columns of a list fit. */
const MAX_NAME = 47;
const [MAX_LENGTH, MAX_ITEM, MAX_FACT] = [800, 400, 120];

export function markdownText(given: Document, options: MarkdownOptions = {}): string {
  const document = { ...given, ...onPage(given) };
  const blocks = [...document.notices, ...document.body];
  const units = unitsOf(blocks);
  const lines = new Map<Entry, readonly string[]>();
  for (const block of blocks) if (block.kind === 'entries') linesOfEntries(block, lines);
  return fitting(units.length, options, (shown) => {
    const room = new Map<object, number>();
    for (let index = 0; index < shown; index++) {
      const unit = units[index];
      if (unit !== undefined) room.set(unit, (room.get(unit) ?? 0) + 1);
    }
    return textOf(document, { room, lines });
  });
}

interface MarkdownRoom {
  readonly room: ReadonlyMap<object, number>;
  readonly lines: ReadonlyMap<Entry, readonly string[]>;
}

/**
 * Returns the block or entry of each unit, in the order of their claim to room. Notices come first, then
 * entries, then lists, then the other names. An entry has all its names if each is a risk, otherwise the
 * first ones.
 */
function unitsOf(blocks: readonly Block[]): object[] {
  const entries = blocks.filter((block) => block.kind === 'entries');
  const isRisky = ({ level }: Entries): boolean => level !== 'medium' && level !== 'low';
  const named = entries.flatMap((block) =>
    block.entries.map((entry) => ({ entry, names: entry.members?.count ?? 0, isRisky: isRisky(block) })),
  );
  const units = (some: typeof named, from: number, to: number): object[] =>
    some.flatMap(({ entry, names }) => new Array(Math.max(0, Math.min(names + 1, to) - from)).fill(entry));
  const risky = named.filter((one) => one.isRisky);
  const others = named.filter((one) => !one.isRisky);
  const first = blocks.findIndex(({ kind }) => kind === 'entries');
  const simple = (some: readonly Block[]): object[] =>
    some.flatMap((block) => new Array(lengthOf(block)).fill(block));
  return [
    ...simple(first < 0 ? blocks : blocks.slice(0, first)),
    ...units(risky, 0, Number.POSITIVE_INFINITY),
    ...units(others, 0, 1 + FIRST_NAMES),
    ...simple(first < 0 ? [] : blocks.slice(first)),
    ...units(others, 1 + FIRST_NAMES, Number.POSITIVE_INFINITY),
  ];
}

function lengthOf(block: Block): number {
  switch (block.kind) {
    case 'messages':
      return block.noun === undefined ? block.items.length : Math.min(MESSAGES, block.items.length);
    case 'names':
      return Math.min(NAMES, block.names.length);
    case 'table':
      return block.rows.length;
    case 'code':
      return 1;
    case 'list':
      return block.items.length;
    case 'problems':
      return block.problems.length;
    case 'groups':
      return 1;
    case 'entries':
      return 0;
  }
}

function textOf(document: Document, shown: MarkdownRoom): string {
  const { marker, headline, facts = [], notices = [], body = [], footer = [] } = document;
  const isTable = ({ kind }: Block): boolean => kind === 'table';
  const small = footer.map(factText).join(' · ');
  const parts = [
    ...(marker === undefined ? [] : [[markerOf(marker)]]),
    [`## Websites: ${inline(headline)}`],
    ...notices.filter(isTable).map((block) => linesOf(block, shown)),
    [facts.map(factText).join(' · ')].filter((line) => line !== ''),
    ...notices.filter((block) => !isTable(block)).map((block) => linesOf(block, shown)),
    ...body.map((block) => linesOf(block, shown)),
    cutLines(body, shown),
    ...(small === '' ? [] : [['---'], [`<sub>${small}</sub>`]]),
  ];
  const filled = parts.filter((lines) => lines.length > 0);
  return filled.map((lines) => `${lines.map(guarded).join('\n')}\n`).join('\n');
}

function factText({ label, text, isCode }: Fact): string {
  if (isCode) return `${label === undefined ? '' : `${inline(label)} `}${code(text, MAX_FACT)}`;
  return inline(label === undefined ? text : say`${label}: ${text}`, MAX_ITEM);
}

function linesOf(block: Block, shown: MarkdownRoom): readonly string[] {
  const room = shown.room.get(block) ?? 0;
  if (room === 0 && block.kind !== 'entries') return [];
  switch (block.kind) {
    case 'messages':
      return messagesLines(block, room);
    case 'names':
      return namesLines(block, room);
    case 'groups':
      return groupLines(block);
    case 'list':
      return listLines(block, room);
    case 'table':
      return tableLines(block, room);
    case 'code':
      return [`### ${inline(block.title)}`, '', ...fenced('yaml', block.lines)];
    case 'entries':
      return entriesLines(block, shown);
    case 'problems': {
      const blocks = problemsLines(worstFirst(block.problems).slice(0, room), FENCE);
      const lines = blocks.flatMap((own, index) => (index === 0 ? own : ['', ...own]));
      return [...fenced('', lines), ...moreOf(block.problems.length - room, say`problem`)];
    }
  }
}

const ALERTS: Partial<Record<Tone, 'CAUTION' | 'WARNING' | 'NOTE'>> = { bad: 'CAUTION', warn: 'WARNING' };

function messagesLines({ items, noun }: Messages, room: number): string[] {
  const some = items.slice(0, room);
  const tones = some.map(({ tone, remedy }) => (remedy === undefined ? tone : 'bad'));
  const tone = (['bad', 'warn'] as const).find((one) => tones.includes(one));
  const lines =
    noun === undefined
      ? some.flatMap(messageLines)
      : [
          ...some.map(({ text = say``, more }) => {
            return `- ${inline(text, MAX_ITEM)}${more === undefined ? '' : ` (${code(more)})`}`;
          }),
          ...moreOf(items.length - room, noun),
        ];
  const kind = tone && ALERTS[tone];
  return kind === undefined ? lines : alert(kind, lines);
}

function messageLines({ label, text, place, stack = [], remedy, more }: Message): string[] {
  const said = text === undefined ? '' : inline(text, MAX_LENGTH);
  const title = label && inline(label).replace(/^./, (first) => first.toUpperCase());
  return [
    ...(label === undefined ? [said] : [`**${title}:** ${said}`.trimEnd()]).filter(Boolean),
    ...stack.slice(0, 1).map((line) => code(line)),
    ...(place === undefined ? [] : [`At ${code(place, MAX_ITEM)}`]),
    ...(remedy === undefined ? [] : [`**Help:** ${inline(remedy, MAX_LENGTH)}`]),
    ...(more === undefined ? [] : [`**More:** ${code(`websites explain ${more}`)}`]),
  ];
}

/** The first ones open, the others folded away: in a line, or under a title of their own. */
function namesLines({ title, tone, names }: NameList, room: number): string[] {
  const texts = names
    .slice(0, room)
    .map(({ text, note }) => (note === undefined ? text : say`${text} (${note})`));
  const left = moreOf(names.length - texts.length);
  const fence = (some: readonly Text[], more: readonly Text[]): string[] =>
    fenced('', [...flow(some, FENCE.width, MAX_NAME), ...more]);
  const isLong = texts.length > OPEN;
  const rest = isLong ? ['', ...folded(`${names.length - OPEN} more`, fence(texts.slice(OPEN), left))] : [];
  if (tone !== 'dim')
    return [`### ${inline(title)}`, '', ...fence(texts.slice(0, OPEN), isLong ? [] : left), ...rest];
  const open = names
    .slice(0, Math.min(room, OPEN))
    .map(({ text, note }) => code(text) + (note === undefined ? '' : ` (${inline(note)})`));
  return [`**${inline(title)}:** ${[...open, ...(isLong ? [] : left)].join(', ')}`, ...rest];
}

function groupLines({ title, groups }: NameGroups): string[] {
  const lines = groups.slice(0, GROUPS).map(({ title: own, names }) => {
    const some = names.slice(0, GROUP_NAMES).map((name) => code(name));
    return `- ${inline(own, MAX_FACT)}: ${[...some, ...moreOf(names.length - some.length)].join(', ')}`;
  });
  return folded(`${title} (${groups.length})`, [
    ...lines,
    ...moreOf(groups.length - lines.length, say`group`),
  ]);
}

function listLines({ title, items, noun }: List, room: number): string[] {
  return [
    `### ${inline(title)}`,
    '',
    ...openAndFolded(items.slice(0, room), moreOf(items.length - room, noun)),
  ];
}

function openAndFolded(lines: readonly string[], left: readonly string[]): string[] {
  if (lines.length <= OPEN) return fenced('', [...lines, ...left]);
  const rest = fenced('', [...lines.slice(OPEN), ...left]);
  return [...fenced('', lines.slice(0, OPEN)), '', ...folded(`${lines.length - OPEN} more`, rest)];
}

function tableLines({ title, head, rows }: Table, room: number): string[] {
  const [first] = rows;
  const titles = head ?? first?.cells.map(() => say``) ?? [];
  const heading = title === undefined ? [] : [`### ${inline(title)}`, ''];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const lines = rows
    .slice(0, room)
    .map(({ cells, level }) =>
      line(
        cells.map((text, index) => (index === 0 && level ? `**${level}**` : cell(inline(text, MAX_ITEM)))),
      ),
    );
  return [...heading, line(titles), line(titles.map(() => '---')), ...lines, ...moreOf(rows.length - room)];
}

/** The sign that GitHub and GitLab color in a diff: `!` marks a change that neither adds nor removes. */
function diffSign({ sign }: Entry): string {
  return sign === '~' ? '!' : sign;
}

function linesOfEntries({ entries }: Entries, all: Map<Entry, readonly string[]>): void {
  for (const { entry, head, body } of layOut(entries, FENCE, false)) {
    const sign = diffSign(entry);
    const [first = '', ...rest] = head;
    // The sign is in the first column here, so the terminal's own sign is removed.
    const lines = body.map(({ lead, tone, text, isSigned }) => {
      return (TONE_SIGNS[tone] ?? sign) + lead.slice(1) + (isSigned ? text.slice(2) : text);
    });
    all.set(entry, [sign + first.slice(1), ...rest, ...lines]);
  }
}

const TONE_SIGNS: Partial<Record<Tone, string>> = { add: '+', remove: '-', warn: '!', bad: '!', dim: ' ' };

interface ShownEntry {
  readonly entry: Entry;
  readonly lines: readonly string[];
  readonly names: number;
}

function entriesLines(block: Entries, { room, lines }: MarkdownRoom): string[] {
  const shown = block.entries.flatMap((entry): ShownEntry[] => {
    const units = room.get(entry);
    return units === undefined ? [] : [{ entry, lines: lines.get(entry) ?? [], names: units - 1 }];
  });
  if (shown.length === 0) return [];
  const total = count(block.count, block.noun);
  const body = sectionLines(shown, block.level === 'critical' || block.level === 'high');
  const length = shown.reduce((sum, one) => sum + one.lines.length, 0);
  const isLong = (block.level === 'medium' || block.level === 'low') && length > LINES_OPEN;
  return [`### ${block.title}: ${total}`, '', ...(isLong ? folded(`Show ${total}`, body) : body)];
}

/** The folded names of an entry follow its fence; the single records without room come last. */
function sectionLines(shown: readonly ShownEntry[], isRisky: boolean): string[] {
  const blocks: string[][] = [];
  const later: (readonly string[])[] = [];
  let open: string[] = [];
  let room = OPEN;
  const take = (wanted: number, inPart: boolean): number => {
    const taken = wanted <= room || inPart ? Math.min(wanted, room) : 0;
    room -= taken;
    return taken;
  };
  for (const { entry, lines, names } of shown) {
    const { members } = entry;
    if (members === undefined) {
      if (take(1, false) === 1) open.push(...lines);
      else later.push(lines);
      continue;
    }
    const near = take(names, isRisky);
    open.push(...lines, ...nameLines(entry, 0, near).map((line) => diffSign(entry) + INDENT.slice(1) + line));
    if (members.count === near) continue;
    const title = near === 0 ? `The ${members.count} records` : `${members.count - near} more records`;
    const rest = [...nameLines(entry, near, names), ...moreOf(members.count - names)];
    blocks.push(fenced('diff', open), folded(title, fenced('', rest)));
    open = [];
  }
  if (open.length > 0) blocks.push(fenced('diff', open));
  if (later.length > 0) {
    blocks.push(folded(`Show ${count(later.length, 'more change')}`, fenced('diff', later.flat())));
  }
  return blocks.flatMap((block, index) => (index === 0 ? block : ['', ...block]));
}

function nameLines({ members, sign }: Entry, from: number, to: number): string[] {
  if (members === undefined) return [];
  const names = Array.from({ length: to - from }, (_, index) => nameOf(sign, members.at(from + index)));
  return flow(names, FENCE.width - INDENT.length, MAX_NAME);
}

function cutLines(blocks: readonly Block[], { room }: MarkdownRoom): readonly string[] {
  const entries = blocks.filter((block) => block.kind === 'entries');
  const cut = entries.map(({ title, count: total, entries: own }) => {
    const named = own.map((entry) => {
      const units = room.get(entry) ?? 0;
      return entry.members === undefined || units === 0 ? units : units - 1;
    });
    return { title, left: total - named.reduce((sum, one) => sum + one, 0) };
  });
  const left = cut.filter((one) => one.left > 0);
  if (left.length === 0) return [];
  const sum = left.reduce((all, one) => all + one.left, 0);
  const parts = left.map((one) => `${one.title}: ${one.left}`).join(', ');
  return alert('NOTE', [
    `**Cut to fit:** ${count(sum, 'change')} not named here (${parts}). The formats ${code('json')} and ${code('html')} hold everything.`,
  ]);
}
