import { expect, it } from 'vitest';
import type { Failure } from '../../../src/model/run.ts';
import { domainOf, times } from '../../support/plans.ts';
import { resultMarkdown } from '../render.ts';
import { DONE, manyChanges } from '../situations.ts';

const failure = (domain: string, parts: Partial<Failure> = {}): Failure => ({
  action: 'create',
  domain,
  source: { file: 'websites.yaml', line: 14, column: 5 },
  outcome: 'failed',
  code: 'service-refused',
  status: 422,
  message: 'This domain is already being used.',
  attempts: 1,
  ...parts,
});

it('resultMarkdown lists all applied changes, and folds those after the first 40', () => {
  const large = manyChanges(300).changes;
  const text = resultMarkdown(DONE, { applied: large });
  expect(text).toContain(`### Applied: ${large.length} changes\n`);
  expect(text).toContain('<details><summary>Show more</summary>');
  expect(text.split('<details>')[0]?.match(/[-+~] site-/g)).toHaveLength(40);
  expect(text.match(/[-+~] site-/g)).toHaveLength(large.length);
  const few = resultMarkdown(DONE, { applied: large.slice(0, 40) });
  expect(few).toContain('### Applied: 40 changes');
  expect(few).not.toContain('<details>');
});

it('resultMarkdown stays within its limit, and counts what it omits', () => {
  const failures = times(2_000, (index) => failure(domainOf(index), { message: `No ${index}.` }));
  const text = resultMarkdown({ ...DONE, failures, summary: { ...DONE.summary, failed: 2_000 } });
  expect(text.length).toBeLessThanOrEqual(64_000);
  const shown = failures.filter(({ domain }) => text.includes(domain)).length;
  expect(shown).toBeGreaterThan(300);
  expect(text).toContain(`**Cut to fit:** ${2_000 - shown} more. The formats `);
});
