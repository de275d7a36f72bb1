/** Which runs there were, by the first and the last line of their journals. */
import { type FileHandle, open } from 'node:fs/promises';
import { WebsitesError } from '../../core/errors.ts';
import { sequelsOf } from '../../core/past-runs.ts';
import type { Plan } from '../../core/plan.ts';
import { isSameShard, type Shard } from '../../core/shard.ts';
import { CLOSED, type Closed, OPENED, type Opened } from './entries.ts';
import { journalPath, runIds } from './journal.ts';
import { damaged, parseLine, unreadable } from './lines.ts';

export interface RunInfo extends Omit<Opened, 'entry' | 'format'> {
  /** How it ended; missing where it was killed, or is still at work. */
  readonly closed?: Closed;
  /** Nothing of its plan is left to be attempted. */
  readonly finished: boolean;
}

/** More than the first, or the last, line of a journal ever takes, in bytes. */
const END_BYTES = 64 * 1024;

/** The runs in `folder`, oldest first. Throws `file-failed` where one cannot be read. */
export async function listRuns(folder: string): Promise<readonly RunInfo[]> {
  const infos: RunInfo[] = [];
  for (const run of await runIds(folder)) {
    const path = journalPath(folder, run);
    const info = await readEnds(path);
    if (info === undefined) continue;
    if (info.run !== run) throw damaged(path, 1, { problem: `it is that of run ${info.run}` });
    infos.push(info);
  }
  return infos;
}

/**
 * The last run on `service`, with its key, and on `shard` of whose plan something is left to do, and that no other
 * came after.
 */
export async function lastUnfinished(
  folder: string,
  service: Plan['service'],
  shard?: Shard,
): Promise<RunInfo | undefined> {
  const runs = await runsAt(folder, service);
  const sequels = sequelsOf(runs);
  return runs.findLast(
    (info) =>
      isWithKeyOf(info, service) &&
      isSameShard(info.shard, shard) &&
      !info.finished &&
      !sequels.has(info.run),
  );
}

/** The runs on `service`, with whatever key, oldest first. Throws as listRuns does. */
export async function runsAt(
  folder: string,
  { base_url }: Pick<Plan['service'], 'base_url'>,
): Promise<readonly RunInfo[]> {
  return (await listRuns(folder)).filter((info) => info.service.base_url === base_url);
}

export function isWithKeyOf({ service }: RunInfo, { key_fingerprint }: Plan['service']): boolean {
  return service.key_fingerprint === key_fingerprint;
}

export function infoOf({ entry: _, format: __, ...opened }: Opened, closed: Closed | undefined): RunInfo {
  return { ...opened, ...(closed === undefined ? {} : { closed }), finished: closed?.finished ?? false };
}

/** `undefined` where a journal was cut off before its plan, and so before anything was sent, or is no longer kept. */
async function readEnds(path: string): Promise<RunInfo | undefined> {
  try {
    const file = await open(path);
    try {
      const start = Math.max(0, (await file.stat()).size - END_BYTES);
      return judgeEnds(await readAt(file, 0), await readAt(file, start), start, path);
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

/** `start` is where in the file `tail` begins. */
function judgeEnds(head: string, tail: string, start: number, path: string): RunInfo | undefined {
  const end = head.indexOf('\n');
  const hasPlan = end >= 0 && start + tail.lastIndexOf('\n') > end;
  if (!hasPlan) return undefined;
  const first = parseLine(OPENED, head.slice(0, end));
  if ('problem' in first) throw damaged(path, 1, first);
  const last = parseLine(CLOSED, tail.slice(tail.lastIndexOf('\n', tail.length - 2) + 1));
  return infoOf(first.value, 'value' in last ? last.value : undefined);
}
