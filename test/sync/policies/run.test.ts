/** Rules in their worker: what it finds, and how it is ended. */
import { expect, test } from 'vitest';
import type { Policies, Policy } from '../../../src/model/policy.ts';
import { websiteFacts } from '../../../src/planner/policies/facts.ts';
import { run } from '../../../src/sync/policies/run.ts';
import { times, wanted } from '../../support/plans.ts';

const website = websiteFacts(times(300, (n) => wanted(`w${n}.com`)));

/** Policies called by their position. */
function policiesOf(...rules: readonly string[]): Policies {
  const all = rules.map(
    (rule, index): Policy => ({
      ...{ name: `p${index}`, on: 'website', rule, message: 'M.', level: 'deny' },
      place: { file: 'p.yaml', line: index, column: 1 },
      problemAt: (part, start, end, message) => ({
        severity: 'error',
        message: `p${index} ${part} ${start}-${end}: ${message}`,
      }),
    }),
  );
  return { all, digest: '' };
}

test('gives what each policy finds', async () => {
  const found = await run(policiesOf('true', 'like(domain, "w1*")'), { website });
  expect(found).toMatchObject([{ count: 0 }, { count: 300 - 111 }]);
});

test('what fails is told with the rule, its part and what it failed for', async () => {
  await expect(run(policiesOf('true', 'site.privacy == 1'), { website })).rejects.toMatchObject({
    code: 'policy-invalid',
    problems: [{ message: 'p1 rule 5-12: No such key: privacy (for w0.com)' }],
  });
});

const LISTS = '[1, 2, 3, 4, 5, 6, 7, 8, 9].all(';
test.for([
  [
    'loops in loops',
    `${[...'abcdefghijkl'].map((name) => `${LISTS}${name}, `).join('')}true${')'.repeat(12)}`,
  ],
  ['a regular expression', `!(domain + "${'a'.repeat(60)}!").matches("(a+)+$")`],
] as const)('%s past the time that all have is ended, and named', async ([, rule]) => {
  await expect(run(policiesOf('true', rule), { website }, 200)).rejects.toMatchObject({
    code: 'policy-invalid',
    problems: [{ message: expect.stringMatching(/^p1 rule .* longer than 0\.2 s/) }],
  });
});

test('one after the other, so that none pays for the time of another', async () => {
  const runs = times(3, () => run(policiesOf('domain != ""'), { website }));
  expect(await Promise.all(runs)).toEqual(times(3, () => [{ count: 0, first: [] }]));
});
