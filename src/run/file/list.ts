/** Which runs there were, by the first and the last line of their files. */
import type { FileHandle } from 'node:fs/promises';
import { WebsitesError } from '../../model/errors.ts';
import type { Plan } from '../../model/plan.ts';
import type { Seals } from '../../model/seal.ts';
import { openRegular } from '../../util/node/read-file.ts';
import { type Closed, damaged, type Opened, parseEntry, unreadable } from './schema.ts';
import { bearsSeal, runIds, runPath } from './write.ts';

export interface RunInfo extends Omit<Opened, 'entry' | 'format'> {
  /** How it ended; missing where it was killed, or is still at work. */
  readonly closed?: Closed;
  /** Nothing of its plan is left to be attempted. */
  readonly finished: boolean;
  /** Whether its opening bears a fitting seal; missing where nobody looked. What others say of it is their word. */
  readonly sealed?: boolean;
}

/** More than the first, or the last, line of a run file ever takes, in bytes. */
const END_BYTES = 64 * 1024;

/** The runs in `folder`, oldest first, with their seals checked by `seals`. Throws `file-failed` where one cannot be read. */
export async function listRuns(folder: string, seals?: Seals): Promise<readonly RunInfo[]> {
  const infos: RunInfo[] = [];
  for (const run of await runIds(folder)) {
    const info = await readEnds(runPath(folder, run), run, seals);
    if (info !== undefined) infos.push(info);
  }
  return infos;
}

/** The runs on `service`, with whatever key, oldest first. Throws as listRuns does. */
export async function runsAt(
  folder: string,
  { base_url }: Pick<Plan['service'], 'base_url'>,
  seals: Seals | undefined,
): Promise<readonly RunInfo[]> {
  return (await listRuns(folder, seals)).filter((info) => info.service.base_url === base_url);
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

/** `undefined` where a file was cut off before its plan, and so before anything was sent, or is no longer kept. */
async function readEnds(path: string, run: string, seals: Seals | undefined): Promise<RunInfo | undefined> {
  try {
    const file = await openRegular(path);
    try {
      const start = Math.max(0, (await file.stat()).size - END_BYTES);
      const [head, tail] = [await readAt(file, 0), await readAt(file, start)];
      const end = head.indexOf('\n');
      const hasPlan = end >= 0 && start + tail.lastIndexOf('\n') > end;
      if (!hasPlan) return undefined;
      const first = head.slice(0, end);
      const opened = parseEntry(first);
      if ('problem' in opened) throw damaged(path, 1, opened);
      const isOpening = opened.entry === 'opened' && opened.run === run;
      if (!isOpening) throw damaged(path, 1, { problem: `it does not open run ${run}` });
      const closed = parseEntry(tail.trimEnd().split('\n').at(-1) ?? '');
      const isClosed = 'entry' in closed && closed.entry === 'closed';
      return infoOf(opened, isClosed ? closed : undefined, seals && bearsSeal(run, first, seals));
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
