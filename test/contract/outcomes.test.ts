/**
 * The contract of plan and apply: exit code, standard output and standard error of every outcome, in every format,
 * with the built program on a real socket.
 */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runBuilt } from '../support/built.ts';
import { type CliOptions, type Ended, runCli, startCli, testFolder } from '../support/cli.ts';
import { type ScriptedOptions, type ScriptedService, scripted } from '../support/scripted-service.ts';

const SECRET = 'do-not-print-me-1234';
const KEY = 'do-not-print-this-key';

const FILE = `version: 1
defaults: { privacy: private }
websites:
  - one.example
  - two.example
  - domain: three.example
    privacy: password
    password: { env: SITE_PASSWORD }
`;

const PRESENT = ['one.example', 'two.example'].map((domain) => ({ domain, privacy: 1 }));
const ALL = [...PRESENT, { domain: 'three.example', privacy: 2, password: SECRET }];

interface Outcome {
  readonly name: string;
  readonly file?: string;
  readonly service?: ScriptedOptions;
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Runs before, or during, the command. */
  prepare?(service: ScriptedService): void | Promise<void>;
  readonly plan?: Expected;
  readonly apply?: Expected;
}

interface Expected {
  readonly code: number;
  /** The format and other members of the document on standard output. */
  readonly document: Readonly<Record<string, unknown>> & { readonly format: string };
  /** The text for a person, on both streams. */
  readonly human?: RegExp;
  readonly stderr?: RegExp;
  /** Replaces `stderr` in formats for a person. */
  readonly humanStderr?: RegExp;
}

const IMPATIENT = ['--timeout', '1s'];
const plan = (rest: object) => ({ format: 'websites.plan/1', ...rest });
const result = (rest: object) => ({ format: 'websites.result/1', ...rest });
const error = (code: string) => ({ format: 'websites.error/1', code, docs: `docs/errors.md#${code}` });

const OUTCOMES: readonly Outcome[] = [
  {
    name: 'nothing to do',
    service: { records: ALL },
    plan: { code: 0, document: plan({ changes: [] }), human: /^No changes\. 3 websites/m },
    apply: { code: 0, document: result({ run: null, converged: true }), human: /^No changes\. 3 websites/m },
  },
  {
    name: 'changes',
    service: { records: PRESENT.slice(0, 1) },
    plan: {
      code: 0,
      document: plan({ summary: { create: 2, update: 0, delete: 0, unchanged: 1, orphan: 0, ignored: 0 } }),
      human: /^Plan: 2 to create, 0 to update, 0 to delete, 1 unchanged\.$/m,
    },
    apply: {
      code: 0,
      document: result({
        converged: true,
        failures: [],
        summary: expect.objectContaining({ created: 2, failed: 0 }),
      }),
      human: /^Applied: 2 created, 0 updated, 0 deleted/m,
    },
  },
  {
    name: 'changes, with --detailed-exitcode',
    service: { records: PRESENT },
    flags: ['--detailed-exitcode'],
    plan: { code: 2, document: plan({}), human: /1 to create/ },
  },
  {
    name: 'an invalid file',
    file: FILE.replace('privacy: private', 'privcay: private'),
    plan: {
      code: 1,
      document: error('config-invalid'),
      stderr: /websites\.yaml:2:13: error: unknown key privcay/,
    },
    apply: { code: 1, document: error('config-invalid'), stderr: /Did you mean privacy/ },
  },
  {
    name: 'a guard that blocks',
    file: `version: 1\nprune: true\nwebsites: [one.example]\n`,
    service: { records: ['one.example', 'a.example', 'b.example', 'c.example', 'd.example'] },
    plan: {
      code: 5,
      document: plan({ guards: [expect.objectContaining({ code: 'deletes', approved: false })] }),
      human: /--allow-deletes 4/,
    },
    apply: {
      code: 5,
      document: error('guard-refused'),
      // The plan names the guard; programs get the error, and people read it once.
      human: /4 of 5 records[\s\S]*--allow-deletes 4/,
      stderr: /4 of 5 records[\s\S]*--allow-deletes 4/,
      humanStderr: /^Nothing was applied\.\n$/,
    },
  },
  {
    name: 'a rejected key',
    env: { WEBSITES_API_KEY: 'another-key-than-theirs' },
    plan: { code: 3, document: error('key-refused'), stderr: /key/ },
    apply: { code: 3, document: error('key-refused'), stderr: /key/ },
  },
  {
    name: 'a login page instead of an answer',
    service: { dialect: { unauthorised: 'login' } },
    env: { WEBSITES_API_KEY: 'another-key-than-theirs' },
    plan: { code: 3, document: error('key-refused'), stderr: /login/ },
  },
  {
    name: 'a service that is not available',
    env: { WEBSITES_BASE_URL: 'http://127.0.0.1:1' },
    flags: IMPATIENT,
    plan: { code: 1, document: error('service-unreachable'), stderr: /ECONNREFUSED|refused/ },
    apply: { code: 1, document: error('service-unreachable'), stderr: /ECONNREFUSED|refused/ },
  },
  {
    name: 'a response of another shape',
    prepare: (service) => {
      service.faults = () => ({ kind: 'status', status: 200, when: 'before', body: '{"data":[{"id":1}]}' });
    },
    plan: { code: 1, document: error('answer-invalid'), stderr: /data\.0\.domain/ },
  },
  {
    name: 'a change that fails',
    service: { records: PRESENT.slice(0, 1), dialect: { takenElsewhere: ['two.example'] } },
    apply: {
      code: 4,
      document: result({
        converged: true,
        summary: expect.objectContaining({ created: 1, failed: 1 }),
        failures: [
          expect.objectContaining({
            domain: 'two.example',
            status: 422,
            source: expect.objectContaining({ line: 5 }),
          }),
        ],
      }),
      human: /two\.example[\s\S]*websites\.yaml:5/,
    },
  },
  {
    name: 'a service that ignores what is sent',
    service: {
      records: [{ domain: 'one.example', privacy: 0 }, ...ALL.slice(1)],
      dialect: { deaf: ['privacy'] },
    },
    apply: {
      code: 4,
      document: result({
        converged: false,
        residual: [expect.objectContaining({ domain: 'one.example', field: 'privacy', wanted: 1, shown: 0 })],
      }),
      human: /one\.example[\s\S]*privacy/,
    },
  },
  {
    name: 'a secret that is not available',
    service: { records: PRESENT },
    env: { SITE_PASSWORD: '' },
    plan: { code: 0, document: plan({}), human: /\(sensitive\)/ },
    apply: { code: 1, document: error('secret-missing'), stderr: /SITE_PASSWORD[\s\S]*websites\.yaml:8/ },
  },
  {
    name: 'wrong usage',
    flags: ['--allow-deletes', 'many'],
    plan: { code: 1, document: error('usage'), stderr: /"many" for --allow-deletes/ },
    apply: { code: 1, document: error('usage'), stderr: /"many" for --allow-deletes/ },
  },
];

async function setUp(outcome: Outcome): Promise<{ service: ScriptedService; options: CliOptions }> {
  const service = await scripted({ key: KEY, ...outcome.service });
  await outcome.prepare?.(service);
  const folder = await testFolder({ 'websites.yaml': outcome.file ?? FILE });
  const env = { ...service.env, SITE_PASSWORD: SECRET, ...outcome.env };
  return { service, options: { cwd: folder, env } };
}

function expectNoSecret({ stdout, stderr }: Ended): void {
  for (const secret of [SECRET, KEY]) {
    expect(stdout).not.toContain(secret);
    expect(stderr).not.toContain(secret);
  }
  expect(stderr).not.toMatch(/^\s+at .*\.[jt]s:/m);
}

function expectHuman(ended: Ended, expected: Expected): void {
  if (expected.human !== undefined) expect(ended.stdout).toMatch(expected.human);
  const stderr = expected.humanStderr ?? expected.stderr;
  if (stderr !== undefined) expect(ended.stderr).toMatch(stderr);
}

for (const command of ['plan', 'apply'] as const) {
  const approval = command === 'apply' ? ['--auto-approve'] : [];
  const formats = command === 'apply' ? ['human', 'json', 'ndjson'] : ['human', 'json'];
  const table = OUTCOMES.flatMap((outcome) =>
    outcome[command] ? formats.map((format) => ({ outcome, format })) : [],
  );

  describe(command, () => {
    test.for(table)('$outcome.name gives the documented $format output', async ({ outcome, format }) => {
      const expected = outcome[command] as Expected;
      const { options } = await setUp(outcome);
      // One separate process per exit code: others begin and end the same.
      const run = format === 'human' && isFirst(outcome, command) ? runCli : runBuilt;
      const ended = await run([command, ...approval, '--format', format, ...(outcome.flags ?? [])], options);
      expect({ code: ended.code, stderr: ended.stderr }).toMatchObject({ code: expected.code });
      expectNoSecret(ended);
      if (format === 'human') expectHuman(ended, expected);
      else {
        if (expected.stderr !== undefined) expect(ended.stderr).toMatch(expected.stderr);
        const documents = format === 'json' ? [JSON.parse(ended.stdout)] : parseLines(ended.stdout);
        expect(lastDocument(documents)).toMatchObject(expected.document);
      }
    });
  });
}

/** True for the first outcome of a command with its exit code. */
function isFirst(outcome: Outcome, command: 'plan' | 'apply'): boolean {
  return OUTCOMES.find((one) => one[command]?.code === outcome[command]?.code) === outcome;
}

function parseLines(text: string): Record<string, unknown>[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** The result in the last event of a stream, or the error that ended it. */
function lastDocument(documents: Record<string, unknown>[]): unknown {
  const last = documents.at(-1);
  return last?.type === 'run_ended' ? last.result : last;
}

test('the events of apply begin with their format and end with the result', async () => {
  const { options } = await setUp({ name: '', service: { records: PRESENT } });
  const { stdout } = await runBuilt(['apply', '--auto-approve', '--format', 'ndjson'], options);
  const events = parseLines(stdout);
  expect(events[0]).toMatchObject({ format: 'websites.event/1' });
  expect(events.slice(1).map((event) => event.type)).toEqual([
    'planned_change',
    'change_summary',
    'run_started',
    'change_started',
    'change_done',
    'verify_started',
    'run_ended',
  ]);
});

test.each([
  ['an error before planning', { env: { WEBSITES_API_KEY: 'another-key-than-theirs' } }],
  ['wrong usage', { flags: ['--allow-deletes', 'many'] }],
  ['a guard that blocks', { file: 'version: 1\nwebsites: []\n' }],
])('for %s, apply prints its event format and a diagnostic', async (_what, outcome) => {
  const { options } = await setUp({ name: '', ...outcome });
  const flags = 'flags' in outcome ? outcome.flags : [];
  const { stdout } = await runBuilt(['apply', '--auto-approve', '--format', 'ndjson', ...flags], options);
  expect(parseLines(stdout).map(({ type }) => type)).toEqual(['version', 'diagnostic']);
});

test.for(['human', 'json', 'ndjson'])('apply --format %s finishes requests after SIGINT', async (format) => {
  const many = Array.from({ length: 40 }, (_, index) => `  - site-${index}.example`).join('\n');
  const { service, options } = await setUp({ name: '', file: `version: 1\nwebsites:\n${many}\n` });
  service.faults = ({ method }) => (method === 'POST' ? { kind: 'delay', ms: 300 } : undefined);
  const running = startCli(['apply', '--auto-approve', '--parallelism', '4', '--format', format], options);
  while (service.requests.filter(({ method }) => method === 'POST').length < 4)
    await new Promise((done) => setTimeout(done, 5));
  running.child.kill('SIGINT');
  const ended = await running.ended;
  expect(ended.code).toBe(130);
  expect(ended.stderr).toContain('Interrupted');
  const stored = service.records().length;
  expect(stored).toBeGreaterThanOrEqual(4);
  expect(stored).toBeLessThan(40);
  if (format === 'human') expect(ended.stdout).toContain(`${stored} created`);
  else {
    const document = format === 'json' ? JSON.parse(ended.stdout) : lastDocument(parseLines(ended.stdout));
    expect(document).toMatchObject({
      interrupted: true,
      summary: { created: stored, not_attempted: 40 - stored },
    });
  }
});

test('plan exits with 0 if its standard output is closed early', async () => {
  const { options } = await setUp({ name: '', service: { records: PRESENT } });
  const running = startCli(['plan'], options);
  running.child.stdout?.destroy();
  expect((await running.ended).code).toBe(0);
});

test('plan --out writes the same text as --format json prints', async () => {
  const { options } = await setUp({ name: '', service: { records: PRESENT } });
  const { stdout } = await runBuilt(['plan', '--format', 'json', '--out', 'plan.json'], options);
  const { readFile } = await import('node:fs/promises');
  expect(await readFile(join(options.cwd, 'plan.json'), 'utf8')).toBe(stdout);
});
