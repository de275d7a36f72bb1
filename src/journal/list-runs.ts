/** Which runs there were, by the first and the last line of their journals. */
import type { FileHandle } from 'node:fs/promises';
import { WebsitesError } from '../model/errors.ts';
import type { Plan } from '../model/plan.ts';
import { sequelsOf } from '../model/run-history.ts';
import type { Seals } from '../model/seal.ts';
import { MOST_REQUEST_TIMEOUT_MS } from '../model/service.ts';
import { openRegular } from '../util/node/read-file.ts';
import { damaged, parseLine, unreadable } from './lines.ts';
import { CLOSED, type Closed, OPENED, type Opened } from './schema.ts';
import { isSealed } from './seal-chain.ts';
import { journalPath, runIds } from './writer.ts';

export interface RunInfo extends Omit<Opened, 'entry' | 'format'> {
  /** How it ended; missing where it was killed, or is still at work. */
  readonly closed?: Closed;
  /** Nothing of its plan is left to be attempted. */
  readonly finished: boolean;
  /** Whether its first line bears a fitting seal; missing where nobody looked. What others say of it is their word. */
  readonly sealed?: boolean;
}

/** More than the first, or the last, line of a journal ever takes, in bytes. */
const END_BYTES = 64 * 1024;

/** The runs in `folder`, oldest first, with their seals checked by `seals`. Throws `file-failed` where one cannot be read. */
export async function listRuns(folder: string, seals?: Seals): Promise<readonly RunInfo[]> {
  const infos: RunInfo[] = [];
  for (const run of await runIds(folder)) {
    const info = await readEnds(journalPath(folder, run), run, seals);
    if (info !== undefined) infos.push(info);
  }
  return infos;
}

/** The last run on `service` that left something and that no other continued, and the run that came `later`. */
export async function lastUnfinished(
  folder: string,
  service: Pick<Plan['service'], 'base_url'>,
  seals: Seals,
): Promise<{ readonly info: RunInfo; readonly later?: string } | undefined> {
  const runs = await runsAt(folder, service, seals);
  const sequels = sequelsOf(runs);
  const info = runs.findLast((past) => !past.finished && sequels.get(past.run)?.how !== 'continued');
  if (info === undefined) return undefined;
  const later = sequels.get(info.run)?.run;
  return { info, ...(later === undefined ? {} : { later }) };
}

/** The runs on `service`, with whatever key, oldest first. Throws as listRuns does. */
export async function runsAt(
  folder: string,
  { base_url }: Pick<Plan['service'], 'base_url'>,
  seals: Seals | undefined,
): Promise<readonly RunInfo[]> {
  return (await listRuns(folder, seals)).filter((info) => info.service.base_url === base_url);
}

/** How long its requests were said to take, where that is to be believed, and no longer than any may. */
export function requestTimeoutOf({
  sealed,
  request_timeout_ms = 0,
}: Pick<RunInfo, 'sealed' | 'request_timeout_ms'>): number {
  return sealed ? Math.min(request_timeout_ms, MOST_REQUEST_TIMEOUT_MS) : 0;
}

export function infoOf(
  { entry: _, format: __, ...opened }: Opened,
  closed: Closed | undefined,
  sealed: boolean | undefined,
): RunInfo {
  return {
    ...opened,
    ...(closed === undefined ? {} : { closed }),
    finished: closed?.finished ?? false,
    ...(sealed === undefined ? {} : { sealed }),
  };
}

/** `undefined` where a journal was cut off before its plan, and so before anything was sent, or is no longer kept. */
async function readEnds(path: string, run: string, seals: Seals | undefined): Promise<RunInfo | undefined> {
  try {
    const file = await openRegular(path);
    try {
      const start = Math.max(0, (await file.stat()).size - END_BYTES);
      const ends = endsOf(await readAt(file, 0), await readAt(file, start), start);
      return ends && judgeEnds(ends, path, run, seals);
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error instanceof WebsitesError ? error : unreadable(path, error);
  }
}

async function readAt(file: FileHandle, position: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(END_BYTES), 0, END_BYTES, position);
  return buffer.toString('utf8', 0, bytesRead);
}

interface Ends {
  readonly first: string;
  /** What there is of the line before the last. */
  readonly before: string;
  readonly last: string;
}

/** `start` is where in the file `tail` begins. */
function endsOf(head: string, tail: string, start: number): Ends | undefined {
  const end = head.indexOf('\n');
  const hasPlan = end >= 0 && start + tail.lastIndexOf('\n') > end;
  if (!hasPlan) return undefined;
  const lines = tail.split('\n');
  // After the end of the last line there is nothing, or one that was cut.
  const last = lines.at(-1) === '' ? lines.length - 2 : lines.length - 1;
  return { first: head.slice(0, end), before: lines[last - 1] ?? '', last: lines[last] ?? '' };
}

/** An end is believed where its seal fits, as far as seals are looked at, and those of the run fit. */
function judgeEnds(
  { first, before, last }: Ends,
  path: string,
  run: string,
  seals: Seals | undefined,
): RunInfo {
  const opened = parseLine(OPENED, first);
  if ('problem' in opened) throw damaged(path, 1, opened);
  if (opened.value.run !== run) throw damaged(path, 1, { problem: `it belongs to run ${opened.value.run}` });
  const sealed = seals && isSealed(run, first, undefined, seals);
  const isBelieved = !(seals && sealed) || isSealed(run, last, before, seals);
  const closed = isBelieved ? parseLine(CLOSED, last) : undefined;
  return infoOf(opened.value, closed && 'value' in closed ? closed.value : undefined, sealed);
}
