/** Who holds a lock, and whether that process is still there. */
import { randomUUID } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import * as z from 'zod/mini';
import { parseJson } from '../../util/json.ts';
import { readSmallSync } from '../../util/node/read-file.ts';

const HOLDER = z.object({
  /** Of this one holding. */
  token: z.string(),
  host: z.string(),
  /** Within which a process id means one process. */
  machine: z.string(),
  pid: z.number(),
  /** The process's start, so that a pid that is used again is not taken for it. */
  start: z.string(),
  since: z.string(),
});

export type Holder = Readonly<z.infer<typeof HOLDER>>;

/** This process, as the holder of one more lock. */
export function describeMe(): Holder {
  return {
    token: randomUUID(),
    host: hostname(),
    machine: machine(),
    pid: process.pid,
    start: readStat(process.pid)?.start ?? '',
    since: new Date().toISOString(),
  };
}

/** Reads what a lock file holds; `undefined` where a crash left something else. */
export function parseHolder(text: string): Holder | undefined {
  return HOLDER.safeParse(parseJson(text)).data;
}

/** Whether the holder's process is at work; `undefined` where that cannot be seen from here. */
export function isRunning(holder: Holder): boolean | undefined {
  if (holder.machine !== machine()) return undefined;
  const stat = readStat(holder.pid);
  if (stat === undefined) return processExists(holder.pid) ? undefined : false;
  return stat.start === holder.start && !ENDED.has(stat.state);
}

/** Zombies, and what is about to be gone (proc(5)). */
const ENDED: ReadonlySet<string> = new Set(['Z', 'X', 'x']);

/** The boot and the namespace of process ids, where the system tells (Linux); else the host's name. */
function machine(): string {
  const boot = readProc('/proc/sys/kernel/random/boot_id');
  if (boot === undefined) return hostname();
  try {
    return `${boot.trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return `${boot.trim()} ${hostname()}`;
  }
}

/** State and start (in clock ticks since boot) of a process: fields 3 and 22 of its `stat` (proc(5)). */
function readStat(pid: number): { state: string; start: string } | undefined {
  const stat = readProc(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields && { state: fields[0] ?? '', start: fields[19] ?? '' };
}

function readProc(path: string): string | undefined {
  try {
    return readSmallSync(path);
  } catch {
    return undefined;
  }
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
