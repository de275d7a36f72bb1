/** Flags that several commands share, each group declared once. */
import { MOST_PARALLELISM, MOST_REQUEST_TIMEOUT_MS } from '../../model/service.ts';
import { MAX_WAIT_MS, PARALLELISM, REQUEST_TIMEOUT_MS, TIMEOUT_MS } from '../../sync/defaults.ts';
import type { Flag, FlagTable } from './flags.ts';

export const FILE_FLAGS = {
  file: {
    type: 'list',
    alias: 'f',
    completes: 'file',
    describe: 'YAML file, folder or glob; repeat it for several; - is standard input',
    default: 'websites.yaml, looked up from here upward',
  },
  'allow-path': {
    type: 'list',
    completes: 'folder',
    describe: 'Folder outside that of the first file that { file: … } may read from',
  },
  target: { type: 'string', describe: 'The target that is meant, where the files declare targets' },
  'state-folder': {
    type: 'string',
    completes: 'folder',
    describe: 'Folder for .websites (journal, lock) and websites.lock, in place of that of the first file',
  },
} as const satisfies FlagTable;

export const SERVICE_FLAGS = {
  'base-url': { type: 'string', describe: 'Address of the service, or "local"; wins over the file' },
  'api-key-file': {
    type: 'string',
    completes: 'file',
    describe: 'File that holds the API key; else it is WEBSITES_API_KEY',
  },
  parallelism: {
    type: 'number',
    least: 1,
    most: MOST_PARALLELISM,
    describe: 'Requests under way at once',
    default: String(PARALLELISM),
  },
  timeout: {
    type: 'seconds',
    least: 0.001,
    describe: 'Time for one operation with its retries, such as 90s',
    default: `${TIMEOUT_MS / 1000}s`,
  },
  'request-timeout': {
    type: 'seconds',
    least: 0.001,
    most: MOST_REQUEST_TIMEOUT_MS / 1000,
    describe: 'Time for one request, 10m at most',
    default: `${REQUEST_TIMEOUT_MS / 1000}s`,
  },
  'max-wait': {
    type: 'seconds',
    describe: 'Time that the service may ask one operation to wait, in sum',
    default: `${MAX_WAIT_MS / 60_000}m`,
  },
} as const satisfies FlagTable;

/** What names a file that is written. */
export const WRITTEN_FILE = { type: 'string', completes: 'file', writes: true } as const;

/** Of commands that print text or a JSON document. */
export const DOCUMENT_FORMAT_FLAG = {
  type: 'string',
  choices: ['human', 'json'],
  describe: 'How to print',
  default: 'human',
} as const satisfies Flag;

/** Of commands whose work a person follows. */
export const FOLLOW_FLAGS = {
  quiet: { type: 'boolean', alias: 'q', describe: 'No progress: only errors, warnings and the result' },
  verbose: { type: 'boolean', describe: 'A line on standard error for each request, without any secret' },
} as const satisfies FlagTable;

export const PLAN_FLAGS = {
  prune: { type: 'boolean', describe: 'Delete records that the files do not list (--no-prune: keep them)' },
  domain: { type: 'list', completes: 'domain', describe: 'Only these domains; * stands for any characters' },
  exclude: { type: 'list', completes: 'domain', describe: 'All but these domains' },
  shard: { type: 'shard', describe: 'Only part i of n, as i/n with i from 0 to n-1: 0/8 is the first of 8' },
  'deletes-first': { type: 'boolean', describe: 'Delete before creating, for an account at its limit' },
  'resend-passwords': { type: 'boolean', approval: true, describe: 'Send every declared password again' },
  'allow-empty': { type: 'boolean', approval: true, describe: 'Approve files that list no website' },
  'allow-deletes': { type: 'number', approval: true, describe: 'Approve up to so many deletes' },
  'allow-updates': { type: 'number', approval: true, describe: 'Approve up to so many updates' },
} as const satisfies FlagTable;

const TARGET_FLAGS = {
  'all-targets': { type: 'boolean', describe: 'All targets of the files, side by side' },
} as const satisfies FlagTable;

export const SINCE_FLAGS = {
  since: {
    type: 'string',
    describe: 'Tell whose each change is, compared with the files at this Git revision',
  },
  only: {
    type: 'string',
    choices: ['config', 'drift'],
    describe: 'With --since: only the changes of this origin',
  },
  'fail-on-drift': {
    type: 'boolean',
    describe: 'With --since: refuse where the service was changed by others',
  },
} as const satisfies FlagTable;

export const REPORT_FLAGS = {
  report: { type: 'list', describe: 'Write the plan to a file too, as FORMAT=FILE; repeat it for several' },
} as const satisfies FlagTable;

export const APPROVAL_FLAGS = {
  'auto-approve': { type: 'boolean', approval: true, describe: 'Do not ask' },
  'max-failures': { type: 'number', describe: 'Stop after so many failed changes' },
} as const satisfies FlagTable;

export const WRITE_LOCK_FLAGS = {
  'write-lock': {
    type: 'boolean',
    describe: 'Begin a websites.lock, by which changed passwords are noticed',
  },
} as const satisfies FlagTable;

export const BATCH_FLAGS = {
  canary: {
    type: 'number',
    least: 1,
    describe: 'Apply so many changes first, and go on once they are proved',
  },
  'batch-size': { type: 'number', least: 1, describe: 'Apply so many changes at a time, each batch proved' },
} as const satisfies FlagTable;

/** Of commands that read the service, and need no records from the files. */
export const READ_FLAGS = {
  ...FILE_FLAGS,
  file: { ...FILE_FLAGS.file, describe: 'Files that say which service; none is needed with --base-url' },
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
  ...TARGET_FLAGS,
  ...REPORT_FLAGS,
} as const satisfies FlagTable;
