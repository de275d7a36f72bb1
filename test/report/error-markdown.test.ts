import { describe, expect, it } from 'vitest';
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

describe('errorMarkdown', () => {
  it.each(['guard-refused', 'approval-missing', 'plan-stale'] as const)(
    'says of %s that nothing was applied, because there is a plan',
    (code) => {
      expect(errorMarkdown(new WebsitesError(code, 'No.'))).toContain('\n## Websites: nothing was applied\n');
    },
  );

  it('names the place of an error without problems', () => {
    const place = { file: 'sites/a.yaml', line: 3, column: 1 };
    expect(errorMarkdown(new WebsitesError('secret-missing', 'SHOP_KEY is not set.', { place }))).toContain(
      '\n> **Error:** `SHOP_KEY` is not set.\n> At `sites/a.yaml:3:1`\n',
    );
  });

  it('shows nothing of a bug but its message', () => {
    const text = errorMarkdown(Object.assign(new TypeError('boom'), { key: 'marked-key' }));
    expect(text).toContain('This is a bug in');
    expect(text).not.toMatch(/marked-key|\.ts/);
  });

  it('is within the limit at any number of problems, errors the last to go', () => {
    const problems = [...times(900, (line) => problem('warning', line)), problem('error', 9_999)];
    const text = errorMarkdown(new WebsitesError('config-invalid', 'Too many.', { problems }));
    expect(text.length).toBeLessThanOrEqual(65_535);
    expect(text).toMatch(/\n```\nwebsites\.yaml:9999:14: error: /);
    const shown = text.match(/: warning: /g)?.length ?? 0;
    expect(text).toContain(`**Cut to fit:** ${900 - shown} more problems.`);
  });
});
