/**
 * Reading a journal whole: what became of each change of a run. A last line that a crash cut short is left
 * out; any other damage is an error that names the line.
 */
import { readFile } from 'node:fs/promises';
import { WebsitesError } from '../../core/errors.ts';
import type { Plan } from '../../core/plan.ts';
import { type Done, type Fate, RUN_ID } from '../../core/run.ts';
import { ENTRY, type Entry } from './entries.ts';
import { journalPath } from './journal.ts';
import { damaged, parseLine, unreadable } from './lines.ts';
import { infoOf, type RunInfo } from './runs.ts';

/** How a change ended; `id` is that of its record, where it was done. */
export interface Ending {
  readonly fate: Fate;
  readonly id?: string;
  readonly message?: string;
}

export interface RecordedRun extends Omit<RunInfo, 'plan'> {
  readonly plan: Plan;
  /** Changes that earlier runs carried out: by index in the plan, with the id of a record that was created. */
  readonly settled: ReadonlyMap<number, string | undefined>;
  /** Changes that earlier runs may have sent, and that were not found to be carried out when this one began. */
  readonly doubtful: ReadonlySet<number>;
  /** Changes that were about to be sent. */
  readonly begun: ReadonlySet<number>;
  readonly ended: ReadonlyMap<number, Ending>;
}

/**
 * Throws `run-missing` where there is no such run, telling of `list`, the command that lists them, and `file-failed`
 * where its journal is damaged.
 */
export async function readJournal(folder: string, run: string, list = 'websites runs'): Promise<RecordedRun> {
  const path = journalPath(folder, run);
  const text = RUN_ID.test(run) ? await readText(path) : undefined;
  if (text === undefined) {
    throw new WebsitesError('run-missing', `There is no run ${JSON.stringify(run)} in ${folder}.`, {
      remedy: `"${list}" lists the runs that there are.`,
    });
  }
  return assemble(readEntries(text, path), path);
}

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

/** A change of a plan that was carried out; the id of a record that is gone is the one that the plan names. */
export function doneAt({ changes }: Plan, index: number, id: string | undefined): Done[] {
  const change = changes[index];
  return change === undefined ? [] : [{ change, id: id ?? (change.action === 'create' ? '' : change.id) }];
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw unreadable(path, error);
  }
}

function readEntries(text: string, path: string): readonly Entry[] {
  // After the end of the last line there is nothing, or one that was cut.
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    const parsed = parseLine(ENTRY, line);
    if ('value' in parsed) return [parsed.value];
    if (index === lines.length - 1) return [];
    throw damaged(path, index + 1, parsed);
  });
}

function assemble(entries: readonly Entry[], path: string): RecordedRun {
  const [opened, planned] = entries;
  if (opened?.entry !== 'opened') throw damaged(path, 1, { problem: 'a journal begins with "opened"' });
  if (planned?.entry !== 'planned')
    throw damaged(path, 2, { problem: 'there is no plan, and so nothing was sent' });
  const { plan } = planned;
  entries.forEach((entry, index) => {
    if (index > 1 && (entry.entry === 'opened' || entry.entry === 'planned')) {
      throw damaged(path, index + 1, { problem: 'another run begins here' });
    }
    if ('index' in entry && plan.changes[entry.index]?.domain !== entry.domain) {
      throw damaged(path, index + 1, { problem: 'its plan has no such change' });
    }
  });
  const ofKind = <Kind extends Entry['entry']>(kind: Kind): Extract<Entry, { entry: Kind }>[] =>
    entries.filter((entry): entry is Extract<Entry, { entry: Kind }> => entry.entry === kind);
  return {
    ...infoOf(opened, ofKind('closed').at(-1)),
    plan,
    settled: new Map(planned.settled.map(({ index, id }) => [index, id])),
    doubtful: new Set(planned.doubtful),
    begun: new Set(ofKind('begun').map(({ index }) => index)),
    ended: new Map(ofKind('ended').map(({ index, entry: _, domain: __, ...ending }) => [index, ending])),
  };
}
