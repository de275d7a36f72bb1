import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const page = readFileSync(resolve(ROOT, 'docs/deployments.md'), 'utf8');
const rows = page.split('\n').filter((line) => line.startsWith('|') && line.split('|').length === 6);
const claims = [...page.matchAll(/`(test\/[\w/.-]+\.test\.ts)` "([^"]+)"/g)].map(
  ([, file = '', title = '']) => [file, title],
);

describe('the table of deployments', () => {
  test('names a test for each dialect', () => {
    const dialects = rows.filter((row) => !/^\|(?:---|[^|]*\| how it is detected )/.test(row));
    expect(dialects.length).toBeGreaterThan(25);
    for (const row of dialects) expect(row).toMatch(/`test\/[\w/.-]+\.test\.ts` "[^"]+" \|$|"; `test\//);
  });

  test.each(claims)('%s has the test "%s"', (file = '', title = '') => {
    const source = readFileSync(resolve(ROOT, file), 'utf8');
    expect(source).toContain(`'${title}`);
  });
});
