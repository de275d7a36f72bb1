/** A secret in a value of the wrong type still reaches no output that people read. */
import { expect, it } from 'vitest';
import type { Plan } from '../../src/model/plan.ts';
import type { Result } from '../../src/model/run.ts';
import { PLAN_FORMATS, RESULT_FORMATS } from '../../src/report/formats.ts';
import { sha256 } from '../../src/util/node/sha256.ts';
import { given, planFor, shown, wanted } from '../support/plans.ts';
import { whole } from './render.ts';
import { DONE } from './situations.ts';

const MARK = 'marked-secret';
const options = { color: true, width: 80, digest: sha256 };

const honest = planFor(
  given(
    [
      wanted('a.example.com', { privacy: 2, password: { env: 'A_PASSWORD' } }),
      wanted('b.example.com', { password: null }),
      wanted('c.example.com', {}, 1, { state: 'absent' }),
    ],
    [
      shown('b.example.com', 2, {}, { passwordSet: true }),
      shown('c.example.com', 3),
      shown('d.example.com', 4),
    ],
  ),
);

const leaky = {
  ...honest,
  changes: honest.changes.map((change) => ({
    ...change,
    before: { password: MARK },
    fields: { password: { before: MARK, after: MARK }, email: { after: true } },
    alongside: { password: { after: [MARK] } },
    risk: { level: 'critical', reason: 'password removed' },
  })),
} as unknown as Plan;

const result: Result = {
  ...DONE,
  converged: false,
  residual: [
    { action: 'create', domain: 'a.example.com', field: 'password', wanted: MARK, shown: MARK, message: 'm' },
  ],
};

it.each(['human', 'markdown', 'diff', 'html', 'gitlab'] as const)(
  'a plan in the format %s hides secrets',
  async (format) => {
    const text = await whole<Plan>(PLAN_FORMATS[format])(leaky, options);
    expect(text).not.toContain(MARK);
    if (format !== 'gitlab') expect(text).toContain('(sensitive)');
  },
);

it.each(['human', 'markdown'] as const)('a result in the format %s hides a secret', async (format) => {
  const text = await whole(RESULT_FORMATS[format])(result, options);
  expect(text).toContain('(sensitive)');
  expect(text).not.toContain(MARK);
});
