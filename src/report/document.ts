/**
 * A document is built once, and laid out by one back end for each medium (`media/`). Back ends escape and shorten its
 * text.
 */
import type { ErrorCode, Problem, WarningCode } from '../model/errors.ts';
import type { GuardCode } from '../model/plan.ts';
import type { RiskLevel } from '../model/risk.ts';
import { type Harmless, type MaybeText, moreOf, present, say, type Text } from './sanitize.ts';

export interface Document {
  /** Marks the comment, so that a later job can find and replace it. */
  readonly marker?: 'plan' | 'result';
  readonly headline: Text;
  /** Facts for a page. Missing and empty facts are omitted. */
  readonly facts?: readonly MaybeText[];
  /** Facts also for a terminal. */
  readonly details?: readonly MaybeText[];
  /** Printed at the top of a page, and at the end of the output on a terminal. */
  readonly notices?: readonly Block[];
  readonly body?: readonly Block[];
  readonly summary?: readonly MaybeText[];
  readonly footer?: readonly MaybeText[];
}

export type Tone = 'plain' | 'dim' | 'good' | 'warn' | 'bad' | 'add' | 'remove' | 'change';

export type Sign = '+' | '~' | '-' | '!';

export const SIGN_TONES = {
  '+': 'add',
  '~': 'change',
  '-': 'remove',
  '!': 'bad',
} as const satisfies Record<Sign, Tone>;

export type Block = (Messages | List | Table | Entries | Problems) & ShownOn;

interface ShownOn {
  /** Medium for which the block is. A comment counts as a page. */
  readonly on?: 'page' | 'terminal';
}

type ShownDocument = Readonly<Record<'facts' | 'footer' | 'summary', readonly Text[]>> &
  Readonly<Record<'notices' | 'body', readonly Block[]>>;

/** Omits missing texts, blocks without items, and what is only for the other medium. */
export function shownOn(medium: 'page' | 'terminal', document: Document): ShownDocument {
  const { facts = [], details = [], footer, summary, notices = [], body = [] } = document;
  const isShown = ({ on = medium, items }: Block): boolean => on === medium && items.length > 0;
  return {
    facts: present(medium === 'page' ? [...facts, ...details] : details),
    footer: present(footer),
    summary: present(summary),
    notices: notices.filter(isShown),
    body: body.filter(isShown),
  };
}

/** A headline with other texts. They are at the end on a terminal, and at the start on a page. */
export function headlined(headline: Text, others: readonly MaybeText[] = []): Document {
  return { headline, facts: others, summary: [say`${headline}.`, ...others] };
}

const MAX_MESSAGES = 20;

/** Omits messages without text and remedy, and counts those after the twentieth. */
export function messagesOf(...messages: readonly (Message | false)[]): Block {
  const all = messages.flatMap((message) =>
    message !== false && (message.text || message.remedy) ? message : [],
  );
  const more = moreOf(all.length - MAX_MESSAGES, all[0]?.label).map((text) => ({ text }));
  return { kind: 'messages', items: [...all.slice(0, MAX_MESSAGES), ...more] };
}

export function listOf<const Title extends string>(
  title: Title & Harmless<Title>,
  items: readonly MaybeText[],
  more: Partial<List & ShownOn> = {},
): Block {
  return { kind: 'list', title: title as Text, items: present(items), ...more };
}

export interface Message {
  readonly tone?: Tone;
  readonly label?: Text | undefined;
  readonly text?: Text | undefined;
  readonly place?: Text | undefined;
  /** The stack of an unexpected error. A page shows only its first line. */
  readonly stack?: readonly Text[];
  readonly remedy?: Text | undefined;
  readonly more?: DocsCode | undefined | false;
}

/** Codes that `websites explain` knows. `bug` is for every unexpected error. */
export type DocsCode = ErrorCode | WarningCode | `guard-${GuardCode}` | 'bug';

export interface Messages {
  readonly kind: 'messages';
  readonly items: readonly Message[];
}

export interface List {
  readonly kind: 'list';
  readonly title: Text;
  readonly tone?: Tone;
  readonly items: readonly Text[];
  /** A terminal shows the message as one paragraph. */
  readonly isParagraph?: true;
}

export interface Table {
  readonly kind: 'table';
  readonly head?: readonly Text[];
  readonly items: readonly (readonly Text[])[];
}

export interface Entries {
  readonly kind: 'entries';
  readonly title: Text;
  readonly level?: RiskLevel;
  /** Number of changes. An item can be a group of them. */
  readonly count: number;
  readonly items: readonly Entry[];
}

export interface Entry {
  readonly sign: Sign;
  readonly word: Text;
  readonly name: Text;
  readonly id?: Text | undefined;
  readonly place?: Text | undefined;
  readonly lines: () => readonly EntryLine[];
  /** Records of a group, which may be thousands. Each has `lines` if these differ. */
  readonly members?: readonly (() => Member)[];
  /** If true, every member is named. */
  readonly isRisky?: boolean;
}

export interface Member extends Pick<Entry, 'name' | 'id' | 'place'> {
  readonly lines?: Entry['lines'] | undefined;
}

/** A sentence, or the value of a setting in pieces. */
export type EntryLine = Sentence | ShownValue;

interface Sentence {
  readonly tone?: Tone;
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
  readonly items: readonly Problem[];
}
