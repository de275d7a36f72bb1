import { expect, it } from 'vitest';
import type { Problem } from '../../src/model/errors.ts';
import { WebsitesError } from '../../src/model/errors.ts';
import { times } from '../support/plans.ts';
import { errorMarkdown } from './render.ts';

const problem = (severity: Problem['severity'], line: number): Problem => ({
  severity,
  message: 'privacy must be public, private, password or a number (0, 1, 2)',
  remedy: 'Did you mean "private"?',
  place: { file: 'websites.yaml', line, column: 14 },
  excerpt: { text: '    privacy: privat', length: 6 },
});

it.each(['guard-refused', 'approval-missing', 'plan-stale'] as const)(
  'errorMarkdown of %s states that nothing was applied',
  (code) => {
    expect(errorMarkdown(new WebsitesError(code, 'No.'))).toContain('\n## Websites: nothing was applied\n');
  },
);

it('errorMarkdown names the location of an error without problems', () => {
  const place = { file: 'sites/a.yaml', line: 3, column: 1 };
  expect(errorMarkdown(new WebsitesError('secret-missing', 'SHOP_KEY is not set.', { place }))).toContain(
    '\n> **Error:** `SHOP_KEY` is not set.\n> At `sites/a.yaml:3:1`\n',
  );
});

it('errorMarkdown shows only the message of an unexpected error', () => {
  const text = errorMarkdown(Object.assign(new TypeError('boom'), { key: 'marked-key' }));
  expect(text).toContain('This is a bug in');
  expect(text).not.toMatch(/marked-key|\.ts/);
});

it('errorMarkdown stays within the limit, and omits warnings before errors', () => {
  const problems = [...times(900, (line) => problem('warning', line)), problem('error', 9_999)];
  const text = errorMarkdown(new WebsitesError('config-invalid', 'Too many.', { problems }));
  expect(text.length).toBeLessThanOrEqual(65_535);
  expect(text).toMatch(/\n```\nwebsites\.yaml:9999:14: error: /);
  const shown = text.match(/: warning: /g)?.length ?? 0;
  expect(text).toContain(`**Cut to fit:** ${900 - shown} more.`);
});
