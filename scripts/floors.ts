/**
 * Which folder of src may import which. Lint holds it: `npm run generate` writes the rules into .biome.floors.json, and
 * docs/contributing/architecture.md shows the table.
 */

interface Floor {
  readonly what: string;
  /** Folders below it that it may import. */
  readonly mayUse: readonly string[];
  /** No clock, no console, no `node:*`. */
  readonly isPure?: true;
}

const VALUES = ['util', 'model'];
const PLANNING = [...VALUES, 'wire', 'update', 'planner'];

/** From the ground up. */
export const FLOORS: Readonly<Record<string, Floor>> = {
  util: { what: 'text, JSON, memoizing, clocks', mayUse: [], isPure: true },
  model: { what: 'field table, website, change, plan, run, errors', mayUse: ['util'], isPure: true },
  wire: { what: 'the contract with the service: paths, forms, decoding', mayUse: VALUES, isPure: true },
  update: { what: 'what an update sends, and what it must not change', mayUse: VALUES, isPure: true },
  planner: {
    what: 'desired and current records → plan; guards, undo, plan files',
    mayUse: [...VALUES, 'wire', 'update'],
    isPure: true,
  },
  config: { what: 'YAML and bulk files → desired records', mayUse: PLANNING },
  api: { what: 'the HTTP client: requests, retries, pages, rate limits', mayUse: PLANNING },
  journal: { what: 'what each run did, written down before it is sent', mayUse: PLANNING },
  lock: { what: 'one writer at a time', mayUse: VALUES },
  render: { what: 'plan, result and errors → text', mayUse: PLANNING },
  reconcile: { what: 'the loop: rhythm, health, metrics, log', mayUse: VALUES },
  server: { what: 'the service itself: routes, stores', mayUse: [...VALUES, 'wire'] },
  apply: { what: 'carries a plan out and verifies it', mayUse: [...PLANNING, 'journal', 'lock'] },
  probe: {
    what: 'which websites answer: addresses, verdicts, redirects',
    mayUse: [...VALUES, 'api'],
    isPure: true,
  },
  sync: {
    what: 'connect, plan, apply, undo as functions of settings',
    mayUse: [...PLANNING, 'config', 'api', 'journal', 'lock', 'reconcile', 'server', 'apply'],
  },
  library: { what: 'the same for programs', mayUse: [...PLANNING, 'config', 'render', 'sync'] },
  cli: {
    what: 'the commands',
    mayUse: [
      ...PLANNING,
      'config',
      'api',
      'journal',
      'render',
      'reconcile',
      'server',
      'apply',
      'probe',
      'sync',
    ],
  },
};

/** What is not pure, of a folder that is. */
const IMPURE = 'node';
/** It is bound by no rule: the readers of files are in it. */
const FREE = 'util';

const DENIED_GLOBALS = {
  process: 'It is not pure.',
  setTimeout: 'It is not pure: no clock.',
  fetch: 'It is not pure: no I/O.',
  performance: 'It is not pure: no clock.',
  Buffer: 'It is not pure: no node:*.',
  crypto: 'It is not pure: digests come in as functions.',
};

/** What reads without asking what it reads; src/util/node/read-file.ts does. */
const READERS = {
  message: 'Files are read by util/node/read-file.ts: regular ones, of bounded size.',
};
const CLOSED_READERS = {
  'node:fs': {
    ...READERS,
    importNames: ['createReadStream', 'openSync', 'readFile', 'readFileSync', 'readSync'],
  },
  'node:fs/promises': { ...READERS, importNames: ['readFile'] },
  'node:stream/consumers': READERS,
};

/** The rule of a folder; of one that is pure, a second one for its part that is not. */
function rulesOf(name: string, floor: Floor): object[] {
  const folder = `src/${name}`;
  if (!floor.isPure) return [ruleOf(name, floor, [`${folder}/**`])];
  const impure = `${folder}/${IMPURE}/**`;
  const { isPure: _, ...bound } = floor;
  const rest = name === FREE ? [] : [ruleOf(name, bound, [impure])];
  return [ruleOf(name, floor, [`${folder}/**`, `!${impure}`]), ...rest];
}

function ruleOf(name: string, { mayUse, isPure }: Floor, includes: readonly string[]): object {
  const closed = Object.keys(FLOORS).filter((other) => other !== name && !mayUse.includes(other));
  const group = [...closed.map((other) => `**/${other}/**`), ...(isPure ? ['node:*'] : [])];
  const message = `${name} may import ${mayUse.join(', ') || 'nothing of ours'}${isPure ? ', and no node:*' : ''} (scripts/floors.ts).`;
  const imports = { level: 'error', options: { paths: CLOSED_READERS, patterns: [{ group, message }] } };
  const globals = { level: 'error', options: { deniedGlobals: DENIED_GLOBALS } };
  const style = { noRestrictedImports: imports, ...(isPure ? { noRestrictedGlobals: globals } : {}) };
  return {
    includes,
    linter: { rules: { style } },
    ...(isPure ? { plugins: ['./scripts/no-clock.grit'] } : {}),
  };
}

/** The rules as a configuration that .biome.json extends. */
export function floorRules(): string {
  const overrides = Object.entries(FLOORS).flatMap(([name, floor]) => rulesOf(name, floor));
  return `${JSON.stringify({ overrides }, undefined, 2)}\n`;
}

/** The table of docs/contributing/architecture.md. */
export function floorTable(): string {
  const rows = Object.entries(FLOORS).map(
    ([name, { what, mayUse, isPure }]) =>
      `| \`${name}\` | ${what} | ${mayUse.map((other) => `\`${other}\``).join(', ') || 'nothing'}${isPure ? '; pure' : ''} |`,
  );
  return `| folder | what it is | may import |\n|---|---|---|\n${rows.reverse().join('\n')}\n`;
}
