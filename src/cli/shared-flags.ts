/** Flags that several commands share, each group declared once. */
import type { FlagTable } from './flags.ts';

export const FILE_FLAGS = {
  file: {
    type: 'list',
    alias: 'f',
    describe: 'YAML file, folder or glob; repeat it for several; - is standard input',
    default: 'websites.yaml, looked up from here upward',
  },
  'allow-path': {
    type: 'list',
    describe: 'Folder outside that of the first file that { file: … } may read from',
  },
} as const satisfies FlagTable;

export const SERVICE_FLAGS = {
  'base-url': { type: 'string', describe: 'Address of the service, or "local"; wins over the file' },
  'api-key-file': { type: 'string', describe: 'File that holds the API key; else it is WEBSITES_API_KEY' },
  parallelism: { type: 'number', describe: 'Requests under way at once', default: '10' },
  timeout: {
    type: 'seconds',
    describe: 'Time for one operation with its retries, such as 90s',
    default: '120s',
  },
  'request-timeout': { type: 'seconds', describe: 'Time for one request', default: '30s' },
} as const satisfies FlagTable;

export const PLAN_FLAGS = {
  prune: { type: 'boolean', describe: 'Delete records that the files do not list (--no-prune: keep them)' },
  target: { type: 'list', describe: 'Only these domains; * stands for any characters' },
  exclude: { type: 'list', describe: 'All but these domains' },
  'deletes-first': { type: 'boolean', describe: 'Delete before creating, for an account at its limit' },
  'resend-passwords': { type: 'boolean', approval: true, describe: 'Send every declared password again' },
  'allow-empty': { type: 'boolean', approval: true, describe: 'Approve files that list no website' },
  'allow-deletes': { type: 'number', approval: true, describe: 'Approve up to so many deletes' },
  'allow-updates': { type: 'number', approval: true, describe: 'Approve up to so many updates' },
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
