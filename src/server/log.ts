/** The log: one entry for every request, also for one that could not be read. It holds no key, no query and no body. */

export interface LogEntry {
  readonly time: string;
  /** 'error' for a failure of the service's own. */
  readonly level: 'info' | 'error';
  readonly request: string;
  readonly client: string | null;
  /** `null`: the request could not be read so far. */
  readonly method: string | null;
  readonly path: string | null;
  /** 499: the sender went away before its answer. */
  readonly status: number;
  readonly milliseconds: number | null;
  readonly error?: string;
}

export type AccessLog = (entry: LogEntry) => void;

export type AccessLogFormat = 'text' | 'json' | 'none';

/** A log that writes a line for each entry; in the format `none` for the service's own failures alone, as text. */
export function logLines(format: AccessLogFormat, write: (line: string) => void): AccessLog {
  if (format === 'json') return (entry) => write(`${JSON.stringify(entry)}\n`);
  return (entry) => {
    if (format === 'text' || entry.level === 'error') write(`${textLine(entry)}\n`);
  };
}

function textLine({ time, method, path, status, milliseconds, client, request, error }: LogEntry): string {
  return [
    time,
    client ?? '-',
    method ?? '-',
    path ?? '-',
    status,
    milliseconds === null ? '-' : `${milliseconds}ms`,
    `request=${request}`,
    // Quoted, so that the entry stays one line.
    ...(error === undefined ? [] : [`error=${JSON.stringify(error)}`]),
  ].join(' ');
}
