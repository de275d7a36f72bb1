/**
 * Reading a journal whole: what became of each change of a run. Of one that is sealed, what follows the last entry
 * whose seal fits is not believed, and may be missing. Of others, a last line that a crash cut short is left out; any
 * other damage is an error that names the line.
 */
import { WebsitesError } from '../model/errors.ts';
import type { FieldName, Settings } from '../model/field-table.ts';
import type { Approvals } from '../model/guard.ts';
import type { Plan } from '../model/plan.ts';
import type { Effect } from '../model/run.ts';
import { type Done, type Fate, RUN_ID } from '../model/run.ts';
import { notSealed, type Seals } from '../model/seal.ts';
import { readRegularFile } from '../util/node/read-file.ts';
import { damaged, parseLine, unreadable } from './lines.ts';
import { infoOf, type RunInfo } from './list-runs.ts';
import { ENTRY, type JournalEntry } from './schema.ts';
import { countSealed } from './seal-chain.ts';
import { journalPath } from './writer.ts';

/** How a change ended; `id` is that of its record, where it was done. */
export interface Ending {
  readonly fate: Fate;
  readonly id?: string;
  readonly message?: string;
  /** A password that goes along with the change was not sent. */
  readonly withheld?: true;
}

/** What an update of the run may have reset, and nobody is known to have put back. */
export interface Owed {
  readonly index: number;
  readonly domain: string;
  readonly id: string;
  /** When the update was about to be sent. */
  readonly at: string;
  /** What the record showed right before, and what of that the update left out. */
  readonly settings: Settings;
  readonly left: readonly FieldName[];
  /** It was about to be put back when the run was killed. */
  readonly isRestoring: boolean;
}

export interface RecordedRun extends Omit<RunInfo, 'plan' | 'sealed'> {
  readonly plan: Plan;
  /** Whether what it opens with, plan and all, bears fitting seals; missing where nobody looked. */
  readonly sealed?: boolean;
  /** So many entries from the first on bear fitting seals. Others are here only where somebody said to believe them. */
  readonly sealedEntries?: number;
  /** What was said yes to beside what the plan has of that. */
  readonly allow?: Approvals;
  /** Changes that earlier runs carried out: by index in the plan, with the id of a record that was created. */
  readonly settled: ReadonlyMap<number, string | undefined>;
  /** Changes that earlier runs may have sent, and that were not found to be carried out when this one began. */
  readonly doubtful: ReadonlySet<number>;
  /** Changes that were about to be sent. */
  readonly begun: ReadonlySet<number>;
  readonly ended: ReadonlyMap<number, Ending>;
  readonly owed: readonly Owed[];
  readonly sideEffects: readonly Effect[];
}

/** What of a journal is believed. */
export interface Trust {
  /** Without them, nothing is checked: the journal is only to be shown. */
  readonly seals: Seals | undefined;
  /** The command that lists the runs, for whoever asked for one that is not there. */
  readonly list?: string | undefined;
  /** What to do about a journal that is not believed. */
  readonly remedy?: string | undefined;
}

/**
 * Throws `run-missing` where there is no such run, `seal-invalid` where its seals do not fit up to its plan, and
 * `file-failed` where its journal is damaged.
 */
export async function readJournal(folder: string, run: string, trust: Trust): Promise<RecordedRun> {
  const { seals, list = 'websites runs', remedy = MOVE_AWAY } = trust;
  const path = journalPath(folder, run);
  const text = RUN_ID.test(run) ? await readText(path) : undefined;
  if (text === undefined) {
    throw new WebsitesError('run-missing', `Run not found in ${folder}: ${JSON.stringify(run)}.`, {
      remedy: `"${list}" lists the runs.`,
    });
  }
  const lines = text.split('\n');
  if (seals === undefined) return assemble(readEntries(lines, path, true), path, run);
  const sealedEntries = countSealed(run, lines, seals);
  const sealed = sealedEntries >= LEAST_ENTRIES;
  if (!sealed) throw notSealed(`The journal of run ${run}`, remedy);
  const entries = readEntries(lines.slice(0, sealedEntries), path, false);
  return { ...assemble(entries, path, run), sealed, sealedEntries };
}

/** Those that a journal opens with. */
const LEAST_ENTRIES = 2;

const MOVE_AWAY = 'Move the file away if you do not know who wrote it.';

/** Changes that the run, or one that it went on with, is known to have carried out, with ids. */
export function carriedOut({ settled, ended }: RecordedRun): ReadonlyMap<number, string | undefined> {
  const done = [...ended].filter(([, ending]) => ending.fate === 'done');
  return new Map([...settled, ...done.map(([index, { id }]): [number, string | undefined] => [index, id])]);
}

/** Changes that were begun, in this run or before, and of whose end nothing is known. */
export function mayBeSent({ doubtful, begun, ended }: RecordedRun): ReadonlySet<number> {
  const fateOf = (index: number): Fate => ended.get(index)?.fate ?? 'unknown';
  return new Set([
    // That another try failed says nothing about the one before.
    ...[...doubtful].filter((index) => fateOf(index) !== 'done'),
    ...[...begun].filter((index) => fateOf(index) === 'unknown'),
  ]);
}

/** Whether it has no end that is believed, and changes of which nothing is known: entries that are missing say nothing. */
export function isOpenEnded({ plan, closed, settled, ended }: RecordedRun): boolean {
  return closed === undefined && plan.changes.some((_, index) => !settled.has(index) && !ended.has(index));
}

/** A change of a plan that was carried out; the id of a record that is gone is the one that the plan names. */
export function doneAt({ changes }: Plan, index: number, id: string | undefined): Done[] {
  const change = changes[index];
  return change === undefined ? [] : [{ change, id: id ?? (change.action === 'create' ? '' : change.id) }];
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return (await readRegularFile(path)).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unreadable(path, error);
  }
}

function readEntries(lines: readonly string[], path: string, mayBeCut: boolean): readonly JournalEntry[] {
  return lines.flatMap((line, index) => {
    const parsed = parseLine(ENTRY, line);
    if ('value' in parsed) return [parsed.value];
    // After the end of the last line there is nothing, or one that was cut.
    if (mayBeCut && index === lines.length - 1) return [];
    throw damaged(path, index + 1, parsed);
  });
}

function assemble(entries: readonly JournalEntry[], path: string, run: string): RecordedRun {
  const [opened, planned] = entries;
  if (opened?.entry !== 'opened') throw damaged(path, 1, { problem: 'a journal begins with "opened"' });
  if (opened.run !== run) throw damaged(path, 1, { problem: `it belongs to run ${opened.run}` });
  if (planned?.entry !== 'planned')
    throw damaged(path, 2, { problem: 'it contains no plan, so nothing was sent' });
  const { plan } = planned;
  entries.forEach((entry, index) => {
    if (index > 1 && (entry.entry === 'opened' || entry.entry === 'planned')) {
      throw damaged(path, index + 1, { problem: 'another run begins here' });
    }
    if ('index' in entry && plan.changes[entry.index]?.domain !== entry.domain) {
      throw damaged(path, index + 1, { problem: 'its plan has no such change' });
    }
  });
  const ofKind = <Kind extends JournalEntry['entry']>(kind: Kind): Extract<JournalEntry, { entry: Kind }>[] =>
    entries.filter((entry): entry is Extract<JournalEntry, { entry: Kind }> => entry.entry === kind);
  return {
    ...infoOf(opened, ofKind('closed').at(-1), undefined),
    plan,
    ...(planned.allow === undefined ? {} : { allow: planned.allow }),
    settled: new Map(planned.settled.map(({ index, id }) => [index, id])),
    doubtful: new Set(planned.doubtful),
    begun: new Set(ofKind('begun').map(({ index }) => index)),
    ended: new Map(ofKind('ended').map(({ index, entry: _, domain: __, ...ending }) => [index, ending])),
    owed: owedBy(entries),
    sideEffects: ofKind('side_effects').flatMap(({ effects }) => effects),
  };
}

/** What is owed at the end of the entries, in their order. */
function owedBy(entries: readonly JournalEntry[]): readonly Owed[] {
  const owed = new Map<number, Owed>();
  for (const entry of entries) {
    if (entry.entry === 'restore_owed') {
      const { entry: _, ...rest } = entry;
      owed.set(entry.index, { ...rest, isRestoring: false });
    } else if (entry.entry === 'restore_settled') owed.delete(entry.index);
    else if (entry.entry === 'restoring') {
      const before = owed.get(entry.index);
      if (before !== undefined) owed.set(entry.index, { ...before, isRestoring: true });
    }
  }
  return [...owed.values()];
}
