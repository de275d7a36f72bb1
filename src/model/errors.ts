/** A user or the service can fix a WebsitesError. Any other error is a bug, and is printed with its stack. */

/** Outcomes of commands, most severe first (decision: "Formats and exit codes are a contract"). */
export const OUTCOMES = [
  ['interrupted', 130, 'interrupted. Requests in flight were finished'],
  ['keyRefused', 3, 'the service rejected the API key'],
  ['error', 1, 'an error, including usage errors, or the prompt was not answered with `yes`'],
  ['incomplete', 4, 'some changes failed, do not show on the service, or cannot be undone'],
  ['guard', 5, 'blocked by a guard, or `drift` could not compare everything'],
  ['stale', 6, 'the saved plan is stale, or a record changed meanwhile'],
  ['changes', 2, 'there are changes (`plan --detailed-exitcode`, `drift`, `export --check`)'],
  [
    'done',
    0,
    'done. For `plan`: no changes, or changes without `--detailed-exitcode`. For `serve`: ended by SIGTERM',
  ],
] as const;

type OutcomeRow = (typeof OUTCOMES)[number];
export type ExitCode = OutcomeRow[1];

export const EXIT = Object.fromEntries(OUTCOMES) as { readonly [R in OutcomeRow as R[0]]: R[1] };

/** Returns the exit code of the most severe outcome that is true. */
export function exitOf(held: { readonly [R in OutcomeRow as R[0]]?: boolean | undefined }): ExitCode {
  return OUTCOMES.find(([outcome]) => held[outcome])?.[1] ?? EXIT.done;
}

export const ERROR_CODES = [
  'usage',
  'config-invalid',
  'config-missing',
  'secret-missing',
  'key-missing',
  'key-refused',
  'base-url-invalid',
  'service-unreachable',
  'service-failed',
  'service-refused',
  'answer-invalid',
  'id-mismatch',
  'redirect-refused',
  'list-incomplete',
  'resolver-failed',
  'plan-impossible',
  'plan-invalid',
  'plan-stale',
  'seal-invalid',
  'guard-refused',
  'approval-missing',
  'run-missing',
  'revision-missing',
  'lock-held',
  'lock-lost',
  'file-failed',
  'store-failed',
  'address-in-use',
  'interrupted',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

const ERROR_EXITS: { readonly [Code in ErrorCode]?: ExitCode } = {
  'key-refused': EXIT.keyRefused,
  'plan-stale': EXIT.stale,
  'guard-refused': EXIT.guard,
  'lock-lost': EXIT.incomplete,
  interrupted: EXIT.interrupted,
};

export interface ErrorDetails {
  remedy?: string | undefined;
  place?: Place | undefined;
  problems?: readonly Problem[];
  cause?: unknown;
}

export class WebsitesError extends Error {
  readonly code: ErrorCode;
  readonly remedy: string | undefined;
  readonly place: Place | undefined;
  readonly problems: readonly Problem[];

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'WebsitesError';
    this.code = code;
    this.remedy = details.remedy;
    this.place = details.place;
    this.problems = details.problems ?? [];
  }

  get exit(): ExitCode {
    return ERROR_EXITS[this.code] ?? EXIT.error;
  }
}

const REASONS: Readonly<Record<string, string>> = { ENOENT: 'file not found', ENOTFOUND: 'host not found' };

/** Returns the words of an error of the system, without its code and system call. */
export function reasonOf(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return REASONS[code] ?? /^(?:\w+ )?E[A-Z0-9]+: (.+?)(?:, \w+( .*)?)?$/s.exec(message)?.[1] ?? message;
}

/** Returns a handler that throws `file-failed` for an error of the file system, and a WebsitesError as it is. */
export function fileFailed(what: string, remedy: string): (error: unknown) => never {
  return (cause) => {
    if (cause instanceof WebsitesError) throw cause;
    throw new WebsitesError('file-failed', `${what}: ${reasonOf(cause)}.`, { remedy, cause });
  };
}

export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export interface Problem {
  readonly severity: 'error' | 'warning';
  readonly code?: WarningCode;
  readonly message: string;
  readonly remedy?: string | undefined;
  readonly place?: Place | undefined;
  /** The source line at `place`, and the number of underlined characters. */
  readonly excerpt?: { readonly text: string; readonly length: number } | undefined;
}

/** Returns `file:line:column`, which editors and CI systems recognize. */
export function formatPlace(place: Place): string {
  return `${place.file}:${place.line}:${place.column}`;
}

/** Each code has a section in docs/errors.md, which `websites explain` prints. */
export const WARNING_CODES = [
  'domain-shortened',
  'domain-unusual',
  'file-linked',
  'file-pattern-unmatched',
  'invisible-character',
  'password-doubtful',
  'password-in-file',
  'value-unnamed',
  'warnings-omitted',
  'change-not-undone',
  'changes-skipped',
  'domain-in-several-records',
  'id-of-several-domains',
  'list-unconfirmed',
  'password-not-compared',
  'pattern-matches-nothing',
  'prune-skipped',
  'removed-kept',
  'setting-never-returned',
  'time-never-returned',
  'value-unreadable',
] as const;

export type WarningCode = (typeof WARNING_CODES)[number];

export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
}
