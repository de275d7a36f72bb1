/** One log entry per request, also for an unreadable request. It contains no key, no query and no body. */

export interface LogEntry {
  readonly time: string;
  /** 'error' if the service itself failed. */
  readonly level: 'info' | 'error';
  readonly request: string;
  readonly client: string | null;
  /** `null` if the request was not read that far. */
  readonly method: string | null;
  readonly path: string | null;
  /** 499: the sender disconnected before the response. */
  readonly status: number;
  readonly milliseconds: number | null;
  readonly error?: string | undefined;
}

export type AccessLog = (entry: LogEntry) => void;

export type AccessLogFormat = 'text' | 'json' | 'none';

/** Writes one line per entry. With the format `none`, writes only failures of the service itself, as text. */
export function logLines(format: AccessLogFormat, write: (line: string) => void): AccessLog {
  if (format === 'json') return (entry) => write(`${JSON.stringify(entry)}\n`);
  return (entry) => {
    if (format === 'text' || entry.level === 'error') write(`${textLine(entry)}\n`);
  };
}

function textLine({ time, method, path, status, milliseconds, client, request, error }: LogEntry): string {
  const took = milliseconds === null ? '-' : `${milliseconds}ms`;
  const line = `${time} ${client ?? '-'} ${method ?? '-'} ${path ?? '-'} ${status} ${took} request=${request}`;
  // Quoted, so that an error with line ends stays on one line.
  return error === undefined ? line : `${line} error=${JSON.stringify(error)}`;
}
