import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const page = readFileSync(resolve(ROOT, 'docs/contributing/dialects.md'), 'utf8');
const rows = page.split('\n').filter((line) => line.startsWith('|') && line.split('|').length === 6);
const claims: [file: string, title: string][] = [
  ...page.matchAll(/`(test\/[\w/.-]+\.test\.ts)` "([^"]+)"/g),
].map(([, file = '', title = '']) => [file, title]);

describe('the table of deployments', () => {
  test('names a test for each dialect', () => {
    const dialects = rows.filter((row) => !/^\|---|\| held by \|$/.test(row));
    expect(dialects.length).toBeGreaterThan(25);
    for (const row of dialects) expect(row).toMatch(/\| `test\/[^|]+\.test\.ts` "[^|]+" \|$/);
  });

  test.each(claims)('%s has the test "%s"', (file, title) => {
    expect(readFileSync(resolve(ROOT, file), 'utf8')).toContain(`'${title}`);
  });
});
