import { describe, expect, test } from 'vitest';
import { WebsitesError } from '../../src/model/errors.ts';
import type { Plan } from '../../src/model/plan.ts';
import type { Result } from '../../src/model/run.ts';
import type { LoopEvent, PassReport } from '../../src/reconcile/events.ts';
import { createLog, problemText } from '../../src/reconcile/log.ts';
import type { LogFormat } from '../../src/reconcile/log-line.ts';
import { DONE, manyChanges, NOTHING, THREE } from '../render/situations.ts';

const NOW = Date.UTC(2026, 0, 31, 9);

/** The lines that `events` come to. */
function linesOf(format: LogFormat, events: readonly LoopEvent[]): string[] {
  const lines: string[] = [];
  const log = createLog({ format, now: () => NOW, write: (line) => lines.push(line) });
  for (const event of events) log.tell(event);
  return lines;
}

const ended = (report: PassReport, pauseMs?: number): LoopEvent => ({
  type: 'pass_ended',
  pass: 7,
  report,
  seconds: 1.26,
  failures: report.outcome === 'converged' ? 0 : 3,
  ...(pauseMs === undefined ? {} : { pauseMs }),
});

const FOUND = { create: 1, update: 2, delete: 0, unchanged: 5, orphan: 4, ignored: 0 };

describe('a line', () => {
  test('is an object in JSON', () => {
    const [line = ''] = linesOf('json', [ended({ outcome: 'converged', found: FOUND }, 300_000)]);
    expect(line.endsWith('\n')).toBe(true);
    expect(JSON.parse(line)).toEqual({
      time: '2026-01-31T09:00:00.000Z',
      level: 'info',
      msg: 'pass ended',
      pass: 7,
      outcome: 'converged',
      create: 1,
      update: 2,
      delete: 0,
      unchanged: 5,
      orphans: 4,
      seconds: 1.3,
      next_seconds: 300,
    });
  });

  test('is words and pairs as text', () => {
    const error = new WebsitesError('service-failed', 'It answered 500.', { remedy: 'Wait.' });
    expect(linesOf('text', [ended({ outcome: 'failed', error }, 5000)])).toEqual([
      '2026-01-31T09:00:00.000Z error pass ended pass=7 outcome=failed code=service-failed error="It answered 500." remedy=Wait. ' +
        'seconds=1.3 failures=3 next_seconds=5\n',
    ]);
  });

  test.each(['text', 'json'] as const)('holds no command of a CI system (%s)', (format) => {
    const message = '##[error]a ##vso[task]b';
    const [line = ''] = linesOf(format, [
      {
        type: 'change_failed',
        action: 'create',
        domain: '##[c',
        fate: 'failed',
        code: 'service-refused',
        message,
        attempts: 1,
      },
    ]);
    expect(line).not.toMatch(/##\w*\[/);
    if (format === 'json') expect(JSON.parse(line)).toMatchObject({ domain: '##[c', reason: message });
  });

  test.each(['text', 'json'] as const)('lets no foreign text reach a terminal as it is (%s)', (format) => {
    const message = 'a\u001b[31mb\nc\u202ed\u{e0001}"e';
    const [line = ''] = linesOf(format, [
      {
        type: 'change_failed',
        action: 'create',
        domain: 'a.example',
        fate: 'failed',
        code: 'service-refused',
        message,
        attempts: 1,
      },
    ]);
    expect(line.trimEnd()).toMatch(/^[\x20-\x7e]+$/);
    if (format === 'json') expect(JSON.parse(line)).toMatchObject({ reason: message, domain: 'a.example' });
  });

  test('has the stack of an error that nobody foresaw, and no property of it', () => {
    const error = Object.assign(new TypeError('x is no function'), { headers: { authorization: 'secret' } });
    const [line = ''] = linesOf('json', [ended({ outcome: 'failed', error })]);
    expect(JSON.parse(line)).toMatchObject({ code: 'bug', error: 'x is no function' });
    expect(line).toContain('log.test.ts');
    expect(line).not.toContain('secret');
  });
});

describe('records that differ', () => {
  const planned = (plan: Plan): LoopEvent => ({ type: 'planned', plan });
  const started = { type: 'pass_started', pass: 1 } as const;

  test('are named with their settings, the service and the files, and without values', () => {
    const lines = linesOf('json', [planned(THREE)]);
    const [first, ...others] = lines.map((line) => JSON.parse(line));
    expect(first).toMatchObject({
      level: 'info',
      msg: 'records differ',
      service: THREE.service.base_url,
      files: THREE.config.files.map(({ path }) => path).join(', '),
      create: 1,
      update: 1,
      delete: 1,
    });
    const byDomain = new Map(others.map(({ time: _, level: __, ...rest }) => [rest.domain, rest]));
    expect(byDomain.get('shop.example.com')).toEqual({
      msg: 'create needed',
      domain: 'shop.example.com',
      fields: 'privacy, password, exclude_ips',
      source: 'websites.yaml:14',
    });
    expect(byDomain.get('blog.example.com')).toMatchObject({
      msg: 'update needed',
      id: '42',
      fields: 'privacy, exclude_ips',
    });
    expect(byDomain.get('old.example.com')).toMatchObject({ msg: 'delete needed', id: '7', cause: 'absent' });
    expect(lines.join('')).not.toContain('192.0.2');
  });

  test('are the first twenty, named once while they differ', () => {
    const plan = planned(manyChanges(100));
    expect(linesOf('text', [started, plan])).toHaveLength(21);
    expect(linesOf('text', [started, plan, started, plan, started, plan])).toHaveLength(21);
    expect(linesOf('text', [started, plan, started, planned(THREE)])).toHaveLength(25);
    expect(linesOf('text', [planned(NOTHING)])).toEqual([]);
  });
});

test('up to 100 changes each have a line, of more only the first 20 failures', () => {
  const change = { action: 'create', domain: 'a.example' } as const;
  const done = { type: 'change_done', ...change } as const;
  const failed = {
    type: 'change_failed',
    ...change,
    fate: 'failed',
    code: 'service-refused',
    message: 'No.',
    attempts: 1,
  } as const;
  const run = (changes: number): LoopEvent[] => [
    { type: 'run_started', run: 'r', changes },
    done,
    ...Array(30).fill(failed),
  ];
  expect(linesOf('text', run(100))).toHaveLength(32);
  expect(linesOf('text', run(101))).toHaveLength(21);
  expect(linesOf('text', [...run(101), ...run(101)])).toHaveLength(42);
});

describe('what a run left undone', () => {
  const RESULT: Result = {
    ...DONE,
    converged: false,
    residual: Array.from({ length: 30 }, (_, index) => ({
      action: 'update' as const,
      domain: `site-${index}.example`,
      field: 'email' as const,
      wanted: true,
      shown: false,
      message: `site-${index}.example: the service ignored email`,
    })),
  };

  test('is told, the first twenty and once, and counted each time', () => {
    const pass = [
      { type: 'pass_started', pass: 1 } as const,
      ended({ outcome: 'incomplete', result: RESULT }),
    ];
    const lines = linesOf('text', [...pass, ...pass]);
    expect(lines).toHaveLength(22);
    expect(lines[0]).toContain('warn  site-0.example: the service ignored email');
    expect(lines.slice(20).every((line) => line.includes('residual=30'))).toBe(true);
  });

  test('has its reason where nothing could be verified', () => {
    const result = { ...RESULT, converged: null, residual: [], notes: ['There is no proof: it is down.'] };
    expect(linesOf('text', [ended({ outcome: 'incomplete', result })])[0]).toContain('There is no proof');
    expect(linesOf('text', [ended({ outcome: 'converged', result })])).toHaveLength(1);
  });
});

test('what goes on is told once', () => {
  const note = { type: 'note', level: 'warn', text: 'a warning' } as const;
  const started = { type: 'pass_started', pass: 1 } as const;
  expect(linesOf('text', [started, note, note, started, note, started, note])).toHaveLength(1);
  expect(linesOf('text', [started, note, started, started, note])).toHaveLength(2);
});

test('the problems of files come first, the first twenty, and once', () => {
  const problems = Array.from({ length: 30 }, (_, index) => ({
    severity: 'error' as const,
    message: `Problem ${index}.`,
    place: { file: 'websites.yaml', line: index + 1, column: 3 },
  }));
  const error = new WebsitesError('config-invalid', 'There are 30 problems.', { problems });
  const failed = ended({ outcome: 'failed', error });
  const lines = linesOf('text', [failed, failed]);
  expect(lines).toHaveLength(22);
  expect(lines[0]).toContain('error websites.yaml:1:3 Problem 0.');
});

test('a problem and its remedy are two sentences', () => {
  const place = { file: 'websites.yaml', line: 2, column: 1 };
  const problem = { severity: 'error' as const, message: 'a tab indents this line', place };
  expect(problemText({ ...problem, remedy: 'Indent with spaces.' })).toBe(
    'websites.yaml:2:1 a tab indents this line. Indent with spaces.',
  );
  expect(problemText(problem)).toBe('websites.yaml:2:1 a tab indents this line');
});
