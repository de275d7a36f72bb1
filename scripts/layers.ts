/** The folders of src, with imports and sizes: `npm run generate` and `npm run check:size` read them. */

interface Layer {
  readonly what: string;
  /** Maximum number of lines of TypeScript. Lower it in each commit that removes lines. */
  readonly maxLines: number;
  readonly mayUse: readonly string[];
  /** True if the code uses no clock, no console and no `node:*`. */
  readonly isPure?: true;
}

const VALUES = ['util', 'model'];
const PLANNING = [...VALUES, 'planner'];

export const LAYERS: Readonly<Record<string, Layer>> = {
  util: { what: 'text, JSON, memoizing, clocks', maxLines: 711, mayUse: [], isPure: true },
  model: {
    what: 'field table, website, change, plan, run, errors',
    maxLines: 2029,
    mayUse: ['util'],
    isPure: true,
  },
  planner: {
    what: 'desired and current records → plan; guards, undo, plan files',
    maxLines: 1741,
    mayUse: VALUES,
    isPure: true,
  },
  config: { what: 'YAML and bulk files → desired records', maxLines: 5020, mayUse: PLANNING },
  client: {
    what: 'the service over HTTP: requests, retries, lists, look-ups, pace',
    maxLines: 2478,
    mayUse: PLANNING,
  },
  report: { what: 'plan, result and errors → text', maxLines: 3582, mayUse: PLANNING },
  server: { what: 'the service itself: routes, stores', maxLines: 1296, mayUse: VALUES },
  run: {
    what: 'carries a plan out and verifies it: engine, run file, lock',
    maxLines: 2729,
    mayUse: PLANNING,
  },
  sync: {
    what: 'connect, plan, apply, undo as functions of settings',
    maxLines: 1420,
    mayUse: [...PLANNING, 'config', 'client', 'server', 'run'],
  },
  cli: {
    what: 'the commands',
    maxLines: 2826,
    mayUse: [...PLANNING, 'config', 'client', 'report', 'server', 'run', 'sync'],
  },
  library: {
    what: 'the same for programs',
    maxLines: 147,
    mayUse: [...PLANNING, 'config', 'report', 'run', 'sync', 'cli'],
  },
};

/** Limits for src and the tests. Lower them like `maxLines`. */
export const BUDGET = {
  lines: 23_979,
  code: 19_630,
  comments: 2163,
  tokens: 174_866,
  files: 215,
  testLines: 37_916,
};

/** Folder of a pure layer in which the rule does not apply. */
const IMPURE = 'node';
/** Folder in which no rule applies, because it reads files. */
const FREE = 'util';

const DENIED_GLOBALS = {
  process: 'It is not pure.',
  setTimeout: 'It is not pure: no clock.',
  fetch: 'It is not pure: no I/O.',
  performance: 'It is not pure: no clock.',
  Buffer: 'It is not pure: no node:*.',
  crypto: 'It is not pure: digests come in as functions.',
};

/** Functions that read any file. src/util/node/read-file.ts checks a file first. */
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

/** A pure folder needs a second rule for its exempt part. */
function rulesOf(name: string, layer: Layer): object[] {
  const folder = `src/${name}`;
  if (!layer.isPure) return [ruleOf(name, layer, [`${folder}/**`])];
  const impure = `${folder}/${IMPURE}/**`;
  const { isPure: _, ...bound } = layer;
  const rest = name === FREE ? [] : [ruleOf(name, bound, [impure])];
  return [ruleOf(name, layer, [`${folder}/**`, `!${impure}`]), ...rest];
}

function ruleOf(name: string, { mayUse, isPure }: Layer, includes: readonly string[]): object {
  const closed = Object.keys(LAYERS).filter((other) => other !== name && !mayUse.includes(other));
  const group = [...closed.map((other) => `**/${other}/**`), ...(isPure ? ['node:*'] : [])];
  const message = `${name} may import ${mayUse.join(', ') || 'nothing of ours'}${isPure ? ', and no node:*' : ''} (scripts/layers.ts).`;
  const imports = { level: 'error', options: { paths: CLOSED_READERS, patterns: [{ group, message }] } };
  const globals = { level: 'error', options: { deniedGlobals: DENIED_GLOBALS } };
  const style = { noRestrictedImports: imports, ...(isPure ? { noRestrictedGlobals: globals } : {}) };
  return {
    includes,
    linter: { rules: { style } },
    ...(isPure ? { plugins: ['./scripts/no-clock.grit'] } : {}),
  };
}

/** Returns the rules that extend .biome.json. */
export function layerRules(): string {
  const overrides = Object.entries(LAYERS).flatMap(([name, layer]) => rulesOf(name, layer));
  return `${JSON.stringify({ overrides }, undefined, 2)}\n`;
}

export function layerTable(): string {
  const rows = Object.entries(LAYERS).map(
    ([name, { what, mayUse, isPure }]) =>
      `| \`${name}\` | ${what} | ${mayUse.map((other) => `\`${other}\``).join(', ') || 'nothing'}${isPure ? '; pure' : ''} |`,
  );
  return `| folder | what it is | may import |\n|---|---|---|\n${rows.reverse().join('\n')}\n`;
}
