/** Flags that several commands share, each group declared once. */
import { MOST_PARALLELISM, MOST_REQUEST_TIMEOUT_MS } from '../../model/service.ts';
import { MAX_WAIT_MS, PARALLELISM, REQUEST_TIMEOUT_MS, TIMEOUT_MS } from '../../sync/defaults.ts';
import type { Flag, FlagTable } from './flags.ts';

export const FILE_FLAGS = {
  file: {
    type: 'list',
    alias: 'f',
    completes: 'file',
    describe: 'File, or directory of YAML files',
    default: 'websites.yaml',
  },
  'allow-path': {
    type: 'list',
    describe: 'Additional directories that `{ file: … }` may read',
    isVariable: true,
  },
  target: {
    type: 'string',
    completes: 'target',
    describe: 'Target to use, if the configuration declares targets',
  },
  'state-folder': {
    type: 'string',
    describe: 'Directory for `.websites`',
    isVariable: true,
  },
} as const satisfies FlagTable;

export const SERVICE_FLAGS = {
  'base-url': {
    type: 'string',
    value: 'URL',
    describe: 'Service URL, or "local"',
  },
  'api-key-file': {
    type: 'string',
    completes: 'file',
    describe: 'File with the API key',
  },
  parallelism: {
    type: 'number',
    least: 1,
    most: MOST_PARALLELISM,
    describe: 'Requests at a time',
    default: String(PARALLELISM),
  },
  timeout: {
    type: 'seconds',
    least: 0.001,
    describe: 'Limit for one operation',
    default: `${TIMEOUT_MS / 1000}s`,
  },
  'request-timeout': {
    type: 'seconds',
    least: 0.001,
    most: MOST_REQUEST_TIMEOUT_MS / 1000,
    describe: 'Limit for one request',
    default: `${REQUEST_TIMEOUT_MS / 1000}s`,
    isVariable: true,
  },
  'max-wait': {
    type: 'seconds',
    describe: 'Longest wait that the service may ask for, in all for one operation',
    isVariable: true,
    default: `${MAX_WAIT_MS / 60_000}m`,
  },
} as const satisfies FlagTable;

/** What names a file that is written. */
export const WRITTEN_FILE = { type: 'string', completes: 'file', writes: true } as const;

/** Of commands that print text or a JSON document. */
export const DOCUMENT_FORMAT_FLAG = {
  type: 'string',
  choices: ['human', 'json'],
  describe: 'Format',
  default: 'human',
} as const satisfies Flag;

/** Of commands whose work a person follows. */
export const FOLLOW_FLAGS = {
  quiet: { type: 'boolean', describe: 'Show only errors, warnings and the result', isVariable: true },
  verbose: { type: 'boolean', describe: 'Log each request to standard error' },
} as const satisfies FlagTable;

export const PLAN_FLAGS = {
  prune: {
    type: 'switch',
    words: ['removed'],
    describe: 'Delete orphans (or --prune=removed, --no-prune)',
  },
  domain: {
    type: 'list',
    completes: 'domain',
    describe: 'Only domains that match, such as "*.a.com"',
  },
  exclude: { type: 'list', completes: 'domain', describe: 'All domains but those that match' },
  group: { type: 'list', completes: 'group', describe: 'Only these groups, nested ones included' },
  'resend-passwords': { type: 'boolean', approval: true, describe: 'Send every declared password again' },
  'allow-empty': { type: 'boolean', approval: true, describe: 'Allow a configuration without websites' },
  'allow-deletes': { type: 'number', approval: true, describe: 'Allow up to N deletes' },
  'allow-updates': { type: 'number', approval: true, describe: 'Allow up to N updates' },
} as const satisfies FlagTable;

export const SINCE_FLAGS = {
  since: {
    type: 'string',
    value: 'REV',
    describe: 'Tell drift from changes since this Git revision',
  },
  only: {
    type: 'string',
    value: 'ORIGIN',
    choices: ['config', 'drift'],
    describe: 'With --since: only these changes',
  },
  'fail-on-drift': {
    type: 'boolean',
    describe: 'With --since: block the plan if it contains drift',
  },
} as const satisfies FlagTable;

export const REPORT_FLAGS = {
  report: { type: 'list', completes: 'plan-report', describe: 'Also write the plan to a file (repeatable)' },
} as const satisfies FlagTable;

export const RESULT_REPORT_FLAGS = {
  report: {
    type: 'list',
    completes: 'result-report',
    describe: 'Also write the result to a file (repeatable)',
  },
} as const satisfies FlagTable;

export const APPROVAL_FLAGS = {
  'auto-approve': { type: 'boolean', approval: true, describe: 'Skip the confirmation prompt' },
  'max-failures': { type: 'number', describe: 'Stop after N failed changes', isVariable: true },
} as const satisfies FlagTable;

export const CANARY_FLAGS = {
  canary: { type: 'number', least: 1, describe: 'Apply N changes first; go on only if they verify' },
} as const satisfies FlagTable;

/** Of commands that read the service, and need no records from the files. */
export const READ_FLAGS = {
  ...FILE_FLAGS,
  file: {
    ...FILE_FLAGS.file,
    describe: 'Configuration files that name the service (not needed with --base-url)',
  },
  ...SERVICE_FLAGS,
  ...FOLLOW_FLAGS,
} as const satisfies FlagTable;

/** Of commands that compare the files with the service. */
export const COMPARE_FLAGS = {
  ...FILE_FLAGS,
  ...SERVICE_FLAGS,
  ...FOLLOW_FLAGS,
  ...PLAN_FLAGS,
  ...SINCE_FLAGS,
  ...REPORT_FLAGS,
} as const satisfies FlagTable;
