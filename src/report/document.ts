/**
 * What is shown, built once and laid out by one back end for each medium (`media/`): on a terminal, as a comment in
 * Markdown, as a page in HTML. Everything in it is `Text`; escaping and cutting are matters of the back end.
 */
import type { ErrorCode, Problem } from '../model/errors.ts';
import type { GuardCode } from '../model/guard.ts';
import type { RiskLevel } from '../model/risk.ts';
import type { WarningCode } from '../model/warning.ts';
import type { Text } from './sanitize.ts';

export interface Document {
  /** By which a job finds the comment that it wrote before. */
  readonly marker?: 'plan' | 'result';
  /** What it is: `Websites plan for staging`. */
  readonly about: Text;
  /** What it comes to: `2 to create, 1 to delete`. */
  readonly headline: Text;
  readonly verdict?: { readonly tone: Tone; readonly text: Text };
  readonly counts?: readonly Count[];
  readonly facts?: readonly Fact[];
  /** What a reader has to know first: it is at the top of a page, and at the end on a terminal. */
  readonly notices?: readonly Block[];
  readonly body?: readonly Block[];
  /** The last line on a terminal. */
  readonly summary?: Text;
  /** Small print of a page. */
  readonly footer?: readonly Fact[];
}

export type Tone = 'plain' | 'dim' | 'good' | 'warn' | 'bad' | 'add' | 'remove' | 'change';

/** A number that the page shows large. */
export interface Count {
  readonly paint: Tone;
  readonly sign: Sign;
  readonly number: number;
  readonly what: Text;
}

/** On a terminal only those with a label are shown. */
export interface Fact {
  readonly label?: Text;
  readonly text: Text;
  readonly isCode?: true;
}

export type Block = (Messages | NameList | NameGroups | List | Table | Code | Entries | Problems) & {
  /** Where alone it is shown; a comment is a page. */
  readonly on?: 'page' | 'terminal';
};

/** The blocks that a page shows: not those for a terminal alone, nor a message that repeats the headline. */
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

export interface Message {
  readonly tone: Tone;
  /** `warning`, `blocked (deletes)`. */
  readonly label?: Text;
  readonly text?: Text;
  readonly place?: Text;
  /** What was thrown, of an error that nobody foresaw; a page has the first line alone. */
  readonly stack?: readonly Text[];
  readonly remedy?: Text;
  readonly more?: DocsCode;
}

/** What `websites explain` knows; `bug` is everything that nobody foresaw. */
export type DocsCode = ErrorCode | WarningCode | `guard-${GuardCode}` | 'bug';

export interface Messages {
  readonly kind: 'messages';
  readonly items: readonly Message[];
  /** What many of them are counted as; they are a list then. */
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
  /** Whether the last column is wrapped. */
  readonly wraps?: true;
}

export interface Code {
  readonly kind: 'code';
  readonly title: Text;
  readonly lines: readonly Text[];
}

export interface Row {
  readonly cells: readonly Text[];
  /** Of the first cell. */
  readonly level?: RiskLevel | 'blocked';
}

export interface Entries {
  readonly kind: 'entries';
  readonly title: Text;
  readonly level?: RiskLevel;
  /** Whether the title is shown on a terminal too. */
  readonly isTitled?: true;
  /** What they are counted as: `3 changes`. */
  readonly noun: Text;
  readonly count: number;
  /** So many are shown on a terminal, where the others are named; missing if all are. */
  readonly most?: number;
  readonly entries: readonly Entry[];
}

export type Sign = '+' | '~' | '-' | '!';

/** One change, or many that are alike. */
export interface Entry {
  readonly sign: Sign;
  readonly paint: Tone;
  /** `create`, `missing`, `created`. */
  readonly word: Text;
  readonly name: Text;
  readonly id?: Text;
  readonly place?: Text;
  /** What is lost: a terminal shows it instead of the place. */
  readonly loss?: Text;
  /** What a reader has to know before the values, and after them. */
  readonly before?: readonly EntryLine[];
  readonly values?: () => readonly LabeledChange[];
  readonly after?: readonly EntryLine[];
  readonly members?: Members;
}

/** The records of an entry of many. */
export interface Members {
  readonly count: number;
  readonly at: (index: number) => Pick<Entry, 'name' | 'id' | 'place' | 'values'>;
  /** Whether each of them has to be named. */
  readonly isRisky: boolean;
  /** Whether they have values of their own. */
  readonly isMixed: boolean;
}

export interface EntryLine {
  readonly tone: Tone;
  /** Of a risk; the sections of a page have it in their titles. */
  readonly level?: Text;
  readonly label?: Text;
  readonly text: Text;
}

export interface LabeledChange {
  readonly label: Text;
  readonly change: ShownChange;
}

/** A value, or a list of them, on its way; `before` is missing where it is not known. */
export type ShownChange =
  | { readonly kind: 'value'; readonly before?: Text; readonly after: Text; readonly isDrift?: true }
  | {
      readonly kind: 'list';
      readonly before?: readonly Text[];
      readonly after: readonly Text[];
      readonly isDrift?: true;
    }
  /** Anything that is said instead. */
  | { readonly kind: 'note'; readonly text: Text };

export interface Problems {
  readonly kind: 'problems';
  readonly problems: readonly Problem[];
}
