/** The log of the loop: a line for each thing worth knowing. It holds no secret. */
import type { Change } from '../model/change.ts';
import { formatPlace, type Problem, WebsitesError } from '../model/errors.ts';
import { some } from '../util/text.ts';
import type { LoopEvent, PassReport } from './events.ts';
import { type LogFields, type LogFormat, logLine } from './log-line.ts';

type Level = 'info' | 'warn' | 'error';

export interface Log {
  tell(event: LoopEvent): void;
  line(level: Level, msg: string, fields?: LogFields): void;
}

export interface LogOptions {
  readonly format: LogFormat;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly write: (line: string) => void;
}

/** Of a run with more changes than this there is no line for each that was done; its journal has them all. */
const MOST_CHANGES = 100;

/** Of what is wrong throughout, the beginning says enough. */
const MOST_WRONG = 20;

/** So many records that differ from the configuration are named. */
const MOST_DIFFERENT = 20;

const LEVELS: Readonly<Record<PassReport['outcome'], Level>> = {
  converged: 'info',
  locked: 'info',
  drift: 'warn',
  interrupted: 'warn',
  incomplete: 'error',
  refused: 'error',
  failed: 'error',
};

export function createLog({ format, now, write }: LogOptions): Log {
  const news = createNews();
  let tellsDone = true;
  let failuresToTell = Number.POSITIVE_INFINITY;

  const line: Log['line'] = (level, msg, fields = {}) =>
    write(`${logLine(format, new Date(now()).toISOString(), level, msg, fields)}\n`);
  const tellOnce = (level: Level, msg: string, fields: LogFields = {}): void => {
    if (news.isNew(msg + JSON.stringify(fields))) line(level, msg, fields);
  };

  const tellRun: Log['tell'] = (event) => {
    switch (event.type) {
      case 'run_started':
        tellsDone = event.changes <= MOST_CHANGES;
        failuresToTell = tellsDone ? event.changes : MOST_WRONG;
        return line('info', 'run started', { run: event.run, changes: event.changes });
      case 'change_done':
        if (!tellsDone) return;
        return line('info', `${event.action} done`, { domain: event.domain, note: event.note });
      case 'change_failed':
        if (failuresToTell === 0) return;
        failuresToTell -= 1;
        return line('error', `${event.action} ${event.fate}`, {
          domain: event.domain,
          status: event.status,
          reason: event.message,
        });
      case 'stopping':
        return line('warn', 'run stops', { reason: event.reason });
    }
  };

  return {
    line,
    tell(event) {
      switch (event.type) {
        case 'pass_started':
          return news.turn();
        case 'note':
          return tellOnce(event.level, event.text);
        case 'pulled':
          return tellOnce('info', `the checkout is at commit ${event.commit}`);
        case 'planned':
          for (const [msg, fields] of differences(event.plan)) tellOnce('info', msg, fields);
          return;
        case 'pass_ended':
          for (const [level, text] of reasonsOf(event.report)) tellOnce(level, text);
          return line(LEVELS[event.report.outcome], 'pass ended', passFields(event));
        case 'draining':
          return line('info', 'draining: nothing new begins, requests in flight are finished');
        default:
          return tellRun(event);
      }
    },
  };
}

/** What a plan found, if anything: the service and the files, then the first records. */
function differences({
  summary,
  service,
  config,
  changes,
}: Extract<LoopEvent, { type: 'planned' }>['plan']): readonly (readonly [string, LogFields])[] {
  if (changes.length === 0) return [];
  const found = {
    service: service.base_url,
    target: service.target,
    files: some(config.files.map(({ path }) => path)),
    create: summary.create,
    update: summary.update,
    delete: summary.delete,
  };
  const records = changes.slice(0, MOST_DIFFERENT);
  return [
    ['records differ', found],
    ...records.map((change) => [`${change.action} needed`, changeFields(change)] as const),
  ];
}

/** Which record it is and what differs: the names of the settings, without values. */
function changeFields(change: Change): LogFields {
  const { domain, source } = change;
  return {
    domain,
    id: change.action === 'create' ? undefined : change.id,
    fields: change.action === 'delete' ? undefined : Object.keys(change.fields).join(', ') || undefined,
    cause: change.action === 'delete' ? change.cause : undefined,
    source: source && `${source.file}:${source.line}`,
  };
}

/** What was told in this pass or the one before is told no more: memory does not grow with time. */
function createNews() {
  let before = new Set<string>();
  let now = new Set<string>();
  return {
    turn(): void {
      before = now;
      now = new Set();
    },
    isNew(text: string): boolean {
      const isNew = !before.has(text) && !now.has(text);
      now.add(text);
      return isNew;
    },
  };
}

/** Why a pass came to what it did, where its last line does not say it. */
function reasonsOf({ outcome, result, error }: PassReport): readonly (readonly [Level, string])[] {
  if (error instanceof WebsitesError) {
    return error.problems
      .slice(0, MOST_WRONG)
      .map((problem) => [problem.severity === 'error' ? 'error' : 'warn', problemText(problem)]);
  }
  if (result === undefined || outcome !== 'incomplete') return [];
  const unlike = result.residual.slice(0, MOST_WRONG).map(({ message }) => message);
  // The last ones say why it could not be verified.
  return [...unlike, ...result.notes.slice(-MOST_WRONG)].map((text) => ['warn', text]);
}

/** Place, message and remedy on one line. */
export function problemText({ place, message, remedy }: Problem): string {
  const said = remedy === undefined || message.endsWith('.') ? message : `${message}.`;
  return [place && formatPlace(place), said, remedy].filter((part) => part !== undefined).join(' ');
}

function passFields(event: Extract<LoopEvent, { type: 'pass_ended' }>): LogFields {
  const { pass, report, seconds, failures, pauseMs } = event;
  const { outcome, found, result, error } = report;
  return {
    pass,
    outcome,
    ...(found && {
      create: found.create,
      update: found.update,
      delete: found.delete,
      unchanged: found.unchanged ?? undefined,
      orphans: found.orphan ?? undefined,
    }),
    ...(result && {
      run: result.run ?? undefined,
      created: result.summary.created,
      updated: result.summary.updated,
      deleted: result.summary.deleted,
      failed: result.summary.failed,
      not_attempted: result.summary.not_attempted,
      residual: result.residual.length === 0 ? undefined : result.residual.length,
      stopped: result.stopped ?? undefined,
    }),
    ...errorFields(error),
    seconds: tenths(seconds),
    failures: failures === 0 ? undefined : failures,
    next_seconds: pauseMs === undefined ? undefined : tenths(pauseMs / 1000),
  };
}

/** Message and stack of an error that nobody foresaw; its other properties may hold headers, and so the key. */
function errorFields(error: unknown): LogFields {
  if (error === undefined) return {};
  if (error instanceof WebsitesError) return { code: error.code, error: error.message, remedy: error.remedy };
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
  return { code: 'bug', error: message, stack };
}

function tenths(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
