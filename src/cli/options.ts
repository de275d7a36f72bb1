/**
 * The one table of options. Flags, help, completion, the checks of the library and docs/commands.md use it. The
 * environment variable of `--api-key-file` is WEBSITES_API_KEY_FILE.
 */
import type { BulkFormat } from '../config/bulk/bulk.ts';
import type { ExitCode } from '../model/errors.ts';
import type { RunEvent } from '../model/run.ts';
import type { PlanFormat } from '../report/formats.ts';
import type { ListFormat } from '../report/records.ts';
import type { AccessLogFormat } from '../server/log.ts';
import * as limits from '../sync/defaults.ts';
import type { Environment } from '../util/environment.ts';
import type { Io } from './io/io.ts';

/** The type of a value, its placeholder in the help, and its completions. */
export const TYPES = {
  yes: { reads: 'boolean' },
  /** Cannot be set by an environment variable (decision: "A guard blocks the whole apply"). */
  approval: { reads: 'boolean' },
  /** Accepts --flag, --no-flag and --flag=WORD. */
  switch: { reads: 'boolean' },
  choice: { reads: 'string', shown: 'FORMAT' },
  text: { reads: 'string', shown: 'TEXT' },
  url: { reads: 'string', shown: 'URL' },
  file: { reads: 'string', shown: 'FILE', offers: 'file' },
  /** A file to write. `-` is invalid, because a later -f with this name would read standard input. */
  output: { reads: 'string', shown: 'FILE', offers: 'file' },
  target: { reads: 'string', shown: 'NAME', offers: 'target' },
  group: { reads: 'string', shown: 'NAME', offers: 'group' },
  number: { reads: 'number', shown: 'N' },
  approved: { reads: 'number', shown: 'N' },
  duration: { reads: 'seconds', shown: 'DURATION' },
  texts: { reads: 'list', shown: 'TEXT' },
  files: { reads: 'list', shown: 'FILE', offers: 'file' },
  domains: { reads: 'list', shown: 'PATTERN', offers: 'domain' },
  groups: { reads: 'list', shown: 'NAME', offers: 'group' },
  reports: { reads: 'list', shown: '[FORMAT=]FILE', offers: 'report' },
  /** Types of values that only a program can pass. */
  environment: { reads: 'environment' },
  listener: { reads: 'listener' },
  signal: { reads: 'signal' },
} as const;

interface Details {
  readonly alias?: string;
  readonly word?: string;
  readonly choices?: readonly string[];
  /** Placeholder in the help; by default the placeholder of the type. */
  readonly shown?: string;
  readonly min?: number;
  readonly max?: number;
  readonly default?: string;
}

type OptionRow = readonly [
  name: string,
  type: keyof typeof TYPES,
  about: string,
  commands: readonly string[],
  details?: Details,
];

/** Names with parentheses are functions of the library. */
const PLANNING = ['plan', 'apply', 'drift', 'plan()'] as const;
const APPROVING = ['plan', 'apply', 'undo', 'plan()'] as const;
const APPLYING = ['apply', 'undo', 'apply()'] as const;
const READING = ['plan', 'apply', 'drift', 'undo', 'list', 'export', 'doctor'] as const;
const CONNECTED = [...READING, 'plan()', 'apply()'] as const;
const CALLING = [...CONNECTED, 'init'] as const;
const LOADING = [...READING, 'validate', 'runs', 'load()'] as const;
const WITH_FILES = [...LOADING, 'import'] as const;
const SELECTING = [...PLANNING, 'undo', 'list', 'export'] as const;
const CHANGING = ['plan', 'apply', 'plan()'] as const;

const FILES = { alias: 'f', default: 'websites.yaml or websites/' } as const;
const SCRIPT = { choices: ['human', 'json', 'ndjson'], default: 'human' } as const;
const DOCUMENT = { choices: ['human', 'json'], default: 'human' } as const;
const RECORDS = { choices: ['human', 'yaml', 'csv', 'json'], default: 'human' } as const;
const LOG = { choices: ['text', 'json', 'none'] satisfies AccessLogFormat[], default: 'none' } as const;
const LIST = {
  choices: ['human', 'json', 'csv', 'ndjson'] satisfies ListFormat[],
  default: 'human',
} as const;
const PLAN = {
  choices: ['human', 'json', 'markdown', 'diff', 'html', 'gitlab'] satisfies PlanFormat[],
  default: 'human',
} as const;
const BULK = {
  choices: ['text', 'csv', 'tsv', 'json', 'ndjson'] satisfies BulkFormat[],
  default: 'by file extension, or text for stdin or no extension',
} as const;
const INTO = { default: 'websites.yaml here or above, otherwise a new one here' } as const;
const ORIGIN = { choices: ['config', 'drift'], shown: 'ORIGIN' } as const;
const PRUNE = { word: 'removed' } as const;
const AT_ONCE = { min: 1, max: limits.MAX_PARALLELISM, default: `${limits.PARALLELISM}` } as const;
const OPERATION = { min: 0.001, default: `${limits.TIMEOUT_MS / 1000}s` } as const;
const WAIT = { default: `${limits.MAX_WAIT_MS / 60_000}m` } as const;
const AGE = { default: `${limits.MAX_AGE_MS / 3_600_000}h` } as const;
const REQUEST = {
  min: 0.001,
  max: limits.MAX_REQUEST_TIMEOUT_MS / 1000,
  default: `${limits.REQUEST_TIMEOUT_MS / 1000}s`,
} as const;

/** Groups in the order of the help. An option has several rows if it differs between commands. */
const TABLE = {
  Configuration: [
    ['file', 'files', 'File or directory', LOADING, FILES],
    ['file', 'files', 'Other files, whose domains are skipped', ['import'], { alias: 'f' }],
    ['target', 'target', 'Target to use, if the configuration declares targets', WITH_FILES],
  ],
  Selection: [
    ['domain', 'domains', 'Only domains that match, such as "*.a.com"', SELECTING],
    ['domain', 'domains', 'Show where the values of these domains come from', ['validate']],
    ['exclude', 'domains', 'All domains except those that match', PLANNING],
    ['group', 'groups', 'Only these groups, nested ones included', [...PLANNING, 'validate']],
    ['orphans', 'yes', 'Only records that the configuration does not declare', ['list']],
    ['since', 'text', 'Label changes by origin since this Git revision', PLANNING, { shown: 'REV' }],
    ['since', 'text', 'With --update: only drift since this Git revision', ['export'], { shown: 'REV' }],
    ['only', 'choice', 'With --since: only these changes', PLANNING, ORIGIN],
    ['prune', 'switch', 'Delete undeclared records (or --prune=removed, --no-prune)', PLANNING, PRUNE],
  ],
  Service: [
    ['base-url', 'url', 'Service URL, or "local" for the embedded service', CONNECTED],
    ['api-key-file', 'file', 'File with the API key (overrides WEBSITES_API_KEY)', [...CALLING, 'serve']],
    ['parallelism', 'number', 'Requests at a time', CALLING, AT_ONCE],
    ['timeout', 'duration', 'Limit for a request and its retries', CALLING, OPERATION],
  ],
  Guards: [
    ['allow-empty', 'approval', 'Allow a configuration without websites', PLANNING],
    ['allow-deletes', 'approved', 'Allow up to N deletes if a guard blocks them', APPROVING],
    ['allow-updates', 'approved', 'Allow up to N updates if a guard blocks them', APPROVING],
    ['allow-incomplete', 'approval', 'Continue if the list of records may be incomplete', ['export', 'init']],
    ['fail-on-drift', 'yes', 'With --since: block the plan if it contains drift', CHANGING],
    ['fail-on-orphans', 'yes', 'Count undeclared records as drift (exit 2)', ['drift']],
    ['auto-approve', 'approval', 'Skip the confirmation prompt', ['apply', 'undo']],
  ],
  Run: [
    ['resend-passwords', 'approval', 'Send declared passwords again, as after a rotation', CHANGING],
    ['require-secrets', 'yes', 'Fail if a secret that apply needs is not set', ['plan']],
    ['canary', 'number', 'Apply N changes first, and continue if they verify', APPLYING, { min: 1 }],
    ['skip-stale', 'approval', 'Skip records that changed since the plan (exit 6)', ['apply', 'apply()']],
    ['from', 'url', 'Service URL, or "local": write its records instead of an example', ['init']],
    ['into', 'output', 'Add records that are missing from this file to it', ['export']],
    ['into', 'output', 'Configuration file to add to, created if missing', ['import'], INTO],
    ['update', 'approval', "With --into: write the service's values over differing ones", ['export']],
    ['check', 'approval', 'With --into: show a diff without writing', ['export']],
    ['check', 'yes', 'Show a diff of the file without writing it', ['import']],
    ['force', 'approval', 'Overwrite the file if it exists', ['init', 'export']],
    ['from-format', 'choice', 'Input format', ['import'], BULK],
    [
      'map',
      'texts',
      'Read a column as a key, or skip it with "COLUMN="',
      ['import'],
      { shown: 'COLUMN=KEY' },
    ],
    ['default', 'texts', 'Setting for records that do not set it', ['import'], { shown: 'KEY=VALUE' }],
    ['group', 'group', 'Group to add to, created if not declared', ['import']],
    ['check-dns', 'yes', 'Skip domains that have no address in DNS', ['import']],
    ['dns', 'text', 'DNS server', ['import'], { shown: 'ADDRESS:PORT', default: 'from the system' }],
    ['strict', 'yes', 'Write nothing and exit 1 if a line is skipped', ['import']],
    ['port', 'number', 'Port to listen on, or 0 for a free one', ['serve'], { max: 65_535, default: '8080' }],
    ['host', 'text', 'Address to listen on', ['serve'], { shown: 'HOST', default: '127.0.0.1' }],
    ['db', 'file', 'SQLite file with the records', ['serve'], { default: 'websites.db, created if missing' }],
    ['rate-limit', 'number', 'Requests per minute, if there is a limit', ['serve']],
  ],
  Output: [
    ['format', 'choice', 'Format', ['plan', 'drift', 'show'], PLAN],
    ['format', 'choice', 'Format', ['apply', 'undo', 'runs'], SCRIPT],
    ['format', 'choice', 'Format', ['doctor', 'version', 'import'], DOCUMENT],
    ['format', 'choice', 'Format (all except human print the records)', ['validate'], RECORDS],
    ['format', 'choice', 'Format', ['list'], LIST],
    ['out', 'output', 'File to write', ['init'], { default: 'websites.yaml' }],
    ['out', 'output', 'File to write', ['export'], { default: 'standard output' }],
    ['out', 'output', 'Save the plan to a file, for "websites apply FILE"', ['plan']],
    [
      'report',
      'reports',
      'Also write a report as .html, .md or .json',
      ['plan', 'drift', 'apply', 'undo', 'show'],
    ],
    ['verbose', 'yes', 'Log each request to standard error', [...READING, 'init']],
    ['detailed-exitcode', 'yes', 'Exit 2 if there are changes', ['plan']],
    ['log', 'choice', 'Log each request to standard error (failures are always logged)', ['serve'], LOG],
  ],
  Variables: [
    ['allow-path', 'texts', 'Additional directories that `{ file: … }` may read', WITH_FILES],
    ['state-folder', 'text', 'Directory for `.websites`', WITH_FILES],
    ['request-timeout', 'duration', 'Limit for one request', CALLING, REQUEST],
    ['max-wait', 'duration', 'Limit for all waits that the service asks for in one operation', CALLING, WAIT],
    ['quiet', 'yes', 'Show only errors, warnings and the result', [...READING, 'init']],
    ['max-failures', 'number', 'Stop after N failed changes', APPLYING],
    ['cwd', 'text', 'Directory that paths are relative to', ['load()']],
    ['env', 'environment', 'Environment, if not that of the process', ['load()']],
    ['api-key', 'text', 'API key, which overrides that of the environment', ['plan()', 'apply()']],
    ['on-event', 'listener', 'Receives each event of the run', ['apply()']],
    ['signal', 'signal', 'Once aborted, nothing new is sent', ['apply()']],
    ['max-age', 'duration', 'Time until the saved plan expires', ['plan', 'plan()'], AGE],
  ],
} as const satisfies Record<string, readonly OptionRow[]>;

type OptionGroup = keyof typeof TABLE;
type AnyRow = (typeof TABLE)[OptionGroup][number];
type RowOf<Command extends string> = AnyRow extends infer R
  ? R extends OptionRow
    ? Command extends R[3][number]
      ? R
      : never
    : never
  : never;

interface ValueTypes {
  readonly boolean: boolean;
  readonly number: number;
  readonly seconds: number;
  readonly list: readonly string[];
  readonly string: string;
  readonly environment: Environment;
  readonly listener: (event: RunEvent) => void;
  readonly signal: AbortSignal;
}

type OptionValue<R extends OptionRow> = R[4] extends { readonly choices: readonly (infer Choice)[] }
  ? Choice
  : R[4] extends { readonly word: infer Word }
    ? boolean | Word
    : ValueTypes[(typeof TYPES)[R[1]]['reads']];

type CamelCase<Name> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

export type Flags<Command extends string> = {
  readonly [R in RowOf<Command> as CamelCase<R[0]>]: OptionValue<R> | undefined;
};

/**
 * The code of a command. Returns the exit code, or nothing for 0. Throws a WebsitesError for errors that users can
 * fix.
 */
export type CommandMain<Command extends string> = (
  flags: Flags<Command>,
  io: Io,
  args: readonly string[],
) => Promise<ExitCode | undefined>;

export type AnyFlags = Partial<
  Flags<
    | ('plan' | 'apply' | 'undo' | 'drift' | 'list' | 'export' | 'doctor' | 'validate' | 'runs')
    | ('load()' | 'apply()')
  >
>;

export interface Option extends Details {
  readonly name: string;
  /** Name of its value in programs: `baseUrl` for `base-url`. */
  readonly key: string;
  readonly type: keyof typeof TYPES;
  readonly about: string;
  readonly group: string;
}

export type Options = readonly Option[];

/** Returns the options of a command in the order of the help. Options that are only environment variables come last. */
export function optionsOf(command: string): Options {
  const rows = Object.entries<readonly OptionRow[]>(TABLE).flatMap(([group, all]) =>
    all.map(([name, type, about, commands, details]) => {
      const key = name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
      return { name, key, type, about, group, commands, ...details };
    }),
  );
  return rows.filter(({ commands }) => commands.includes(command));
}

export function flagsIn(options: Options): Options {
  return options.filter(({ group }) => group !== 'Variables');
}

export function variableOf(name: string): string {
  return `WEBSITES_${name.replaceAll('-', '_').toUpperCase()}`;
}

/** True if the flag needs a value. A switch may have a value, and does not need it. */
export function takesValue({ type }: Option): boolean {
  return TYPES[type].reads !== 'boolean';
}

export function isApproval({ type }: Option): boolean {
  return type === 'approval' || type === 'approved';
}

export function placeholderOf({ type, shown }: Option): string | undefined {
  const kind: { readonly reads: string; readonly shown?: string } = TYPES[type];
  const text = shown ?? kind.shown;
  return kind.reads === 'list' ? `${text}…` : text;
}
