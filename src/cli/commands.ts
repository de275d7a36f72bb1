/** All commands by their group in the help. The code of each is in `commands/NAME.ts`. */

import { ERROR_CODES, WARNING_CODES } from '../model/errors.ts';
import { GUARD_CODES } from '../model/plan.ts';

export interface Command {
  readonly about: string;
  /** The argument as the help shows it: `FILE` is required, `[FILE]` optional, and `FILE…` repeatable. */
  readonly positional?: string;
  readonly offers?: 'file' | 'domain' | 'run';
  readonly accepts?: readonly string[];
  readonly examples: readonly (readonly [line: string, meaning: string])[];
}

export const COMMAND_GROUPS: Readonly<Record<string, Readonly<Record<string, Command>>>> = {
  Start: {
    init: {
      about: 'Create a first websites.yaml: an example, or the records of a service',
      examples: [
        ['websites init', 'create websites.yaml to edit'],
        [
          'websites init --from https://analytics.example.com',
          'start from the records of a service (API key in WEBSITES_API_KEY)',
        ],
      ],
    },
    import: {
      about: 'Add a list of domains to a configuration file',
      positional: 'LIST…',
      offers: 'file',
      examples: [
        ['websites import domains.txt', 'add one domain per line to websites.yaml'],
        ['websites import sites.csv --map "Site URL=domain" --default privacy=private', 'import a table'],
        ['websites import sites.csv --check', 'show the diff, and what would be skipped and why'],
        ['websites import domains.txt --check-dns', 'skip domains that are not in DNS'],
        ['sort domains.txt | websites import - --into websites.yaml', 'import from standard input'],
      ],
    },
    export: {
      about: 'Export the records of the service as a configuration file',
      examples: [
        ['websites export --out websites.yaml', 'export the records as a configuration file'],
        [
          'websites export --base-url https://analytics.example.com',
          'without a configuration (API key in WEBSITES_API_KEY)',
        ],
        ['websites export --into websites.yaml', 'add records that are missing from the file'],
        ['websites export --into websites.yaml --update', 'accept drift: update the values in the file'],
      ],
    },
    validate: {
      about: 'Check the configuration offline',
      examples: [
        ['websites validate', 'check websites.yaml here or above'],
        ['websites validate -f sites/ -f teams/', 'check several files as one configuration'],
        ['websites validate --format json', 'list each problem with its location, for an editor or CI'],
        ['websites validate --format csv', 'print every record with the settings that apply to it'],
        ['websites validate --domain shop.example.com', 'show where each of its values comes from'],
      ],
    },
    schema: {
      about: 'Print the JSON Schema of websites.yaml',
      examples: [
        ['websites schema > websites.schema.json', 'write the schema for an editor (JSON Schema draft-07)'],
        [`websites schema | grep '"description"'`, 'show what each key means'],
      ],
    },
  },
  'Plan and apply': {
    plan: {
      about: 'Show the changes that apply would make',
      examples: [
        ['websites plan', 'show what would change'],
        ['websites plan --prune', 'include deletes'],
        ['websites plan --out plan.json', 'save the plan for review'],
        ['websites plan --since origin/main', 'tell drift from your changes'],
        ['websites plan --report plan.html', 'also write a page for reviewers'],
      ],
    },
    show: {
      about: 'Show a saved plan in any format',
      positional: 'PLAN-FILE',
      offers: 'file',
      examples: [
        ['websites show plan.json', 'show a saved plan'],
        ['websites show plan.json --format markdown', 'show it as Markdown, for a pull-request comment'],
      ],
    },
    apply: {
      about: 'Apply changes and verify the result',
      positional: '[PLAN-FILE]',
      offers: 'file',
      examples: [
        ['websites apply', 'ask, apply and verify'],
        ['websites apply plan.json', 'apply exactly the saved plan'],
      ],
    },
    undo: {
      about: 'Undo a previous run',
      positional: '[RUN]',
      offers: 'run',
      examples: [
        ['websites undo', 'undo the last run that changed anything'],
        ['websites undo 20260131T090000.000Z-1a2b3c', 'undo that run ("websites runs" lists runs)'],
      ],
    },
    runs: {
      about: 'List previous runs',
      positional: '[RUN]',
      offers: 'run',
      examples: [
        ['websites runs', 'list what was applied from this directory, newest last'],
        ['websites runs --format json', 'list runs as JSON'],
        ['websites runs 20260131T090000.000Z-1a2b3c', 'show what that run did, record by record'],
      ],
    },
    drift: {
      about: 'Detect drift (exit code 2 if the service differs from the files)',
      examples: [
        ['websites drift', 'exit 2 and show the differences, or print nothing'],
        ['websites drift --fail-on-orphans', 'also if a record is not declared'],
        ['websites drift --format markdown', 'show drift as Markdown, for a scheduled job'],
      ],
    },
  },
  Services: {
    list: {
      about: 'List the records of the service',
      positional: '[PATTERN…]',
      offers: 'domain',
      examples: [
        ['websites list', 'list every record, and where the configuration declares it'],
        ['websites list shop.example.com', 'look up one domain, without reading the others'],
        ['websites list "*.example.com" --format csv', 'list the matching records as a table'],
        ['websites list --orphans', 'list what the configuration does not declare'],
      ],
    },
    doctor: {
      about: 'Check how the service behaves (read-only)',
      examples: [
        ['websites doctor', 'examine the service that the configuration names'],
        [
          'websites doctor --base-url https://analytics.example.com',
          'without a configuration (API key in WEBSITES_API_KEY)',
        ],
      ],
    },
    serve: {
      about: 'Run a service of your own, with its records in an SQLite file',
      examples: [
        ['websites serve', 'serve on http://127.0.0.1:8080, with records in websites.db'],
        ['websites serve --port 0 --db try.db', 'serve on a free port'],
      ],
    },
  },
  Help: {
    explain: {
      about: 'Explain an error code',
      positional: '[CODE]',
      accepts: [...ERROR_CODES, ...GUARD_CODES.map((code) => `guard-${code}`), 'bug', ...WARNING_CODES],
      examples: [
        ['websites explain guard-refused', 'explain an error: meaning, causes and fix'],
        ['websites explain', 'list all codes'],
      ],
    },
    completion: {
      about: 'Print a shell completion script',
      positional: 'bash|zsh|fish',
      accepts: ['bash', 'zsh', 'fish'],
      examples: [
        ['source <(websites completion bash)', 'for this shell only'],
        ['websites completion zsh > ~/.zfunc/_websites', 'into a directory that is in fpath'],
        ['websites completion fish > ~/.config/fish/completions/websites.fish', 'where fish looks for it'],
      ],
    },
    version: {
      about: 'Print the version',
      examples: [
        ['websites version', 'print the version'],
        ['websites version --format json', 'print it with the versions of all document formats'],
      ],
    },
  },
};

/** Inherits no members, so that `constructor` is not the name of a command. */
export const COMMANDS: Readonly<Record<string, Command>> = Object.assign(
  Object.create(null),
  ...Object.values(COMMAND_GROUPS),
);

export function countsOf({ positional }: Command): readonly [least: number, most: number] {
  if (positional === undefined) return [0, 0];
  return [positional.startsWith('[') ? 0 : 1, positional.includes('…') ? Number.POSITIVE_INFINITY : 1];
}
