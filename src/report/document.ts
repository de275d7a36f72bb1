/**
 * Built once and laid out by one back end per medium (`media/`), which escapes and cuts. All of it is `Text`.
 */
import type { ErrorCode, Problem } from '../model/errors.ts';
import type { GuardCode } from '../model/guard.ts';
import type { RiskLevel } from '../model/risk.ts';
import type { WarningCode } from '../model/warning.ts';
import type { Text } from './sanitize.ts';

export interface Document {
  /** Lets a job find the comment it wrote before. */
  readonly marker?: 'plan' | 'result';
  readonly about: Text;
  readonly headline: Text;
  readonly verdict?: { readonly tone: Tone; readonly text: Text };
  readonly counts?: readonly Count[];
  readonly facts?: readonly Fact[];
  /** Printed at the top of a page, and at the end on a terminal. */
  readonly notices?: readonly Block[];
  readonly body?: readonly Block[];
  readonly summary?: Text;
  readonly footer?: readonly Fact[];
}

export type Tone = 'plain' | 'dim' | 'good' | 'warn' | 'bad' | 'add' | 'remove' | 'change';

export interface Count {
  readonly paint: Tone;
  readonly sign: Sign;
  readonly number: number;
  readonly what: Text;
}

/** A terminal shows only those with a label. */
export interface Fact {
  readonly label?: Text;
  readonly text: Text;
  readonly isCode?: true;
}

export type Block = (Messages | NameList | NameGroups | List | Table | Code | Entries | Problems) & {
  /** The only medium that shows it; a comment is a page. */
  readonly on?: 'page' | 'terminal';
};

/** Omits blocks for a terminal alone, and a message that repeats the headline. */
export function onPage({ headline, notices = [], body = [] }: Document) {
  const isNew = ({ label, text }: Message): boolean =>
    label !== undefined || text?.replace(/\.$/, '') !== headline;
  const shown = (blocks: readonly Block[]): Block[] =>
    blocks
      .filter(({ on }) => on !== 'terminal')
      .map((block) => (block.kind === 'messages' ? { ...block, items: block.items.filter(isNew) } : block))
      .filter((block) => block.kind !== 'messages' || block.items.length > 0);
  return { notices: shown(notices), body: shown(body) };
}

export function plainMessages(texts: readonly Text[]): Block[] {
  const items = texts.map((text): Message => ({ tone: 'plain', text }));
  return items.length === 0 ? [] : [{ kind: 'messages', items }];
}

export interface Message {
  readonly tone: Tone;
  readonly label?: Text;
  readonly text?: Text;
  readonly place?: Text;
  /** The stack of an unforeseen error; a page has its first line alone. */
  readonly stack?: readonly Text[];
  readonly remedy?: Text;
  readonly more?: DocsCode;
}

/** Codes that `websites explain` knows; `bug` stands for every unforeseen error. */
export type DocsCode = ErrorCode | WarningCode | `guard-${GuardCode}` | 'bug';

export interface Messages {
  readonly kind: 'messages';
  readonly items: readonly Message[];
  readonly noun?: Text;
}

export interface Name {
  readonly text: Text;
  readonly note?: Text;
}

export interface NameList {
  readonly kind: 'names';
  readonly title: Text;
  readonly tone: Tone;
  readonly names: readonly Name[];
}

export interface NameGroups {
  readonly kind: 'groups';
  readonly title: Text;
  readonly groups: readonly { readonly title: Text; readonly names: readonly Text[] }[];
}

export interface List {
  readonly kind: 'list';
  readonly title: Text;
  readonly tone: Tone;
  readonly items: readonly Text[];
  readonly noun: Text;
}

export interface Table {
  readonly kind: 'table';
  readonly title?: Text;
  readonly head?: readonly Text[];
  readonly rows: readonly Row[];
  readonly wraps?: true;
}

export interface Code {
  readonly kind: 'code';
  readonly title: Text;
  readonly lines: readonly Text[];
}

export interface Row {
  readonly cells: readonly Text[];
  readonly level?: RiskLevel | 'blocked';
}

export interface Entries {
  readonly kind: 'entries';
  readonly title: Text;
  readonly level?: RiskLevel;
  readonly isTitled?: true;
  readonly noun: Text;
  readonly count: number;
  /** The number shown on a terminal, which names the others; all if missing. */
  readonly most?: number;
  readonly entries: readonly Entry[];
}

export type Sign = '+' | '~' | '-' | '!';

export interface Entry {
  readonly sign: Sign;
  readonly paint: Tone;
  readonly word: Text;
  readonly name: Text;
  readonly id?: Text;
  readonly place?: Text;
  /** Data that is lost: a terminal shows it instead of the place. */
  readonly loss?: Text;
  readonly before?: readonly EntryLine[];
  readonly values?: () => readonly LabeledChange[];
  readonly after?: readonly EntryLine[];
  readonly members?: Members;
}

export interface Members {
  readonly count: number;
  readonly at: (index: number) => Pick<Entry, 'name' | 'id' | 'place' | 'values'>;
  readonly isRisky: boolean;
  readonly isMixed: boolean;
}

export interface EntryLine {
  readonly tone: Tone;
  /** The level of a risk; on a page, the titles of sections contain it. */
  readonly level?: Text;
  readonly label?: Text;
  readonly text: Text;
}

export interface LabeledChange {
  readonly label: Text;
  readonly change: ShownChange;
}

/** A changed value or list; `before` is missing if unknown. */
export type ShownChange =
  | { readonly kind: 'value'; readonly before?: Text; readonly after: Text; readonly isDrift?: true }
  | {
      readonly kind: 'list';
      readonly before?: readonly Text[];
      readonly after: readonly Text[];
      readonly isDrift?: true;
    }
  | { readonly kind: 'note'; readonly text: Text };

export interface Problems {
  readonly kind: 'problems';
  readonly problems: readonly Problem[];
}
