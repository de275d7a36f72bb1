import { expect, test } from 'vitest';
import type { Plan } from '../../src/core/plan.ts';
import { resumeCommand } from '../../src/core/run.ts';

type Bound = Pick<Plan, 'service' | 'options'>;
const service = { base_url: 'https://a.example', key_fingerprint: 'sha256:1' };
const options: Bound['options'] = {
  ...{ prune: false, update: 'full', target: [], exclude: [] },
  ...{ deletes_first: false, resend_passwords: false, allow: { empty: false } },
};

test.each<[Bound, string]>([
  [{ service, options }, 'websites apply --resume'],
  [
    { service, options: { ...options, shard: { index: 0, count: 8 } } },
    'websites apply --resume --shard 0/8',
  ],
  [
    { service: { ...service, target: 'staging' }, options: { ...options, shard: { index: 2, count: 3 } } },
    'websites apply --resume --target-name staging --shard 2/3',
  ],
])('a run is gone on with where it was', (plan, command) => {
  expect(resumeCommand(plan)).toBe(command);
});
