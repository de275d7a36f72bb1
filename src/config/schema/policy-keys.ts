/** The keys of a policy: the reader and the reference come from this table. */
import * as z from 'zod/mini';
import { POLICY_LEVELS, POLICY_SUBJECTS } from '../../model/policy.ts';
import { GROUP_KEY, type Key, oneOf } from './keys.ts';

const text = (what: string): z.ZodMiniType<string> =>
  z.string({ error: `must be ${what}` }).check(z.regex(/\S/, { error: `must be ${what}` }));

export const POLICY_KEYS = {
  name: {
    schema: GROUP_KEY.schema,
    summary: 'The unique name of the policy, for `--allow-policy` and reports.',
    examples: ['internal-private'],
  },
  on: {
    ...oneOf(...POLICY_SUBJECTS),
    summary: 'What is checked: each declared website, each change of the plan, or the plan.',
    examples: ['website'],
  },
  match: {
    schema: text('an expression, as text'),
    summary: 'Which of them the rule is for, in CEL. Default: all.',
    examples: ['like(domain, "*.internal")'],
  },
  rule: {
    schema: text('an expression, as text'),
    summary: 'What must hold, in CEL. The policy is violated if it gives false.',
    examples: ['has(site.password)'],
  },
  message: {
    schema: text('a sentence'),
    summary: 'The sentence that reports a violation.',
    examples: ['Internal websites must be private.'],
  },
  level: {
    ...oneOf(...POLICY_LEVELS),
    summary: '`deny` blocks. `approve` blocks until `--allow-policy NAME`. `warn` warns.',
    examples: ['deny'],
  },
} as const satisfies Readonly<Record<string, Key<string>>>;

export const REQUIRED_POLICY_KEYS = Object.keys(POLICY_KEYS).filter((name) => name !== 'match');
