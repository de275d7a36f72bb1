import { expect, it } from 'vitest';
import { PLAN_FORMATS } from '../../../src/report/formats.ts';
import { whole } from '../render.ts';
import { NOTHING, THREE } from '../situations.ts';

it('the GitLab report of a plan contains only counts', async () => {
  const render = whole(PLAN_FORMATS.gitlab);
  expect(await render(THREE)).toBe('{"create":1,"update":1,"delete":1}\n');
  expect(await render(NOTHING)).toBe('{"create":0,"update":0,"delete":0}\n');
});
