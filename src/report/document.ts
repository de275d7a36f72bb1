/**
 * Built once and laid out by one back end per medium (`media/`), which escapes and cuts. All of it is `Text`.
 */
import type { ErrorCode, Problem, WarningCode } from '../model/errors.ts';
import type { GuardCode } from '../model/plan.ts';
import type { RiskLevel } from '../model/risk.ts';
import { say, type Text } from './sanitize.ts';

export interface Document {
  /** Lets a job find the comment it wrote before. */
  readonly marker?: 'plan' | 'result';
  readonly about: Text;
  readonly headline: Text;
  readonly facts?: readonly Fact[];
  /** Printed at the top of a page, and at the end on a terminal. */
  readonly notices?: readonly Block[];
  readonly body?: readonly Block[];
  readonly summary?: readonly Text[];
  readonly footer?: readonly Fact[];
}

export type Tone = 'plain' | 'dim' | 'good' | 'warn' | 'bad' | 'add' | 'remove' | 'change';

export type Sign = '+' | '~' | '-' | '!';

export const SIGN_TONES = {
  '+': 'add',
  '~': 'change',
  '-': 'remove',
  '!': 'bad',
} as const satisfies Record<Sign, Tone>;

/** Omitted if its text is empty. A terminal shows only those with a label. */
export interface Fact {
  readonly label?: Text;
  readonly text: Text;
}

export type Block = (Messages | List | Table | Entries | Problems) & Shown;

interface Shown {
  /** The only medium that shows it; a comment is a page. */
  readonly on?: 'page' | 'terminal';
}

/** Omits empty facts, and blocks for a terminal alone. */
export function onPage({ facts = [], footer = [], notices = [], body = [] }: Document) {
  const [above, below] = [facts, footer].map((all) => all.filter(({ text }) => text !== ''));
  const shown = (blocks: readonly Block[]): Block[] => blocks.filter(({ on }) => on !== 'terminal');
  return { facts: above ?? [], footer: below ?? [], notices: shown(notices), body: shown(body) };
}

/** A headline and other texts, which end the text on a terminal and begin a page. */
export function headlined(headline: Text, others: readonly Text[] = []) {
  const facts = others.flatMap((text) => (text === '' ? [] : [{ text }]));
  return { headline, facts, summary: [say`${headline}.`, ...facts.map(({ text }) => text)] };
}

export function plainMessages(texts: readonly Text[]): Block[] {
  return messagesOf(texts.map((text): Message => ({ tone: 'plain', text })));
}

export function messagesOf(items: readonly Message[]): Block[] {
  return items.length === 0 ? [] : [{ kind: 'messages', items }];
}

export function listOf(title: Text, items: readonly Text[], more: Partial<List & Shown> = {}): Block[] {
  return items.length === 0 ? [] : [{ kind: 'list', tone: 'plain', title, items, ...more }];
}

export interface Message {
  readonly tone: Tone;
  readonly label?: Text;
  readonly text?: Text;
  readonly place?: Text | undefined;
  /** The stack of an unforeseen error; a page has its first line alone. */
  readonly stack?: readonly Text[];
  readonly remedy?: Text | undefined;
  readonly more?: DocsCode;
}

/** Codes that `websites explain` knows; `bug` stands for every unforeseen error. */
export type DocsCode = ErrorCode | WarningCode | `guard-${GuardCode}` | 'bug';

export interface Messages {
  readonly kind: 'messages';
  readonly items: readonly Message[];
}

export function worstTone({ items }: Messages): Tone {
  return (
    (['bad', 'warn', 'good'] as const).find((tone) => items.some((item) => item.tone === tone)) ?? 'plain'
  );
}

export interface List {
  readonly kind: 'list';
  readonly title: Text;
  readonly tone: Tone;
  readonly items: readonly Text[];
  /** One paragraph on a terminal. */
  readonly isShort?: true;
}

export interface Table {
  readonly kind: 'table';
  readonly title?: Text;
  readonly head?: readonly Text[];
  readonly rows: readonly Row[];
}

export interface Row {
  readonly cells: readonly Text[];
  readonly level?: RiskLevel;
}

export interface Entries {
  readonly kind: 'entries';
  readonly title: Text;
  readonly level?: RiskLevel;
  readonly noun: Text;
  readonly count: number;
  /** The number shown on a terminal, which names the others; all if missing. */
  readonly most?: number;
  readonly entries: readonly Entry[];
}

export interface Entry {
  readonly sign: Sign;
  readonly word: Text;
  readonly name: Text;
  readonly id?: Text;
  readonly place?: Text;
  readonly before?: readonly EntryLine[];
  readonly values?: () => readonly ShownValue[];
  readonly after?: readonly EntryLine[];
  /** The records of a group, each with `values` if they differ. */
  readonly members?: readonly Pick<Entry, 'name' | 'id' | 'place' | 'values'>[];
  /** Every member is named. */
  readonly isRisky?: boolean;
}

export interface EntryLine {
  readonly tone: Tone;
  /** A label such as `!` is shown on a terminal, and omitted on a page. */
  readonly label?: Text;
  readonly text: Text;
}

export interface ShownValue {
  readonly label: Text;
  readonly pieces: readonly Piece[];
}

/** A value, or an item of a list with its sign. */
export interface Piece {
  readonly tone: 'plain' | 'add' | 'remove' | 'dim';
  readonly text: Text;
}

export interface Problems {
  readonly kind: 'problems';
  readonly problems: readonly Problem[];
}
