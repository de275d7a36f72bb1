import { expect, it } from 'vitest';
import { planGitlab } from '../../../src/report/plan-json.ts';
import { NOTHING, THREE } from '../situations.ts';

it('gives GitLab counts and nothing else', () => {
  expect(planGitlab(THREE)).toBe('{"create":1,"update":1,"delete":1}\n');
  expect(planGitlab(NOTHING)).toBe('{"create":0,"update":0,"delete":0}\n');
});
