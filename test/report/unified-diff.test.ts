import { applyPatch } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unifiedDiff } from '../../src/report/unified-diff.ts';

const PLAIN = { color: false, width: 100 };

const diffOf = (before: string | undefined, after: string): string =>
  unifiedDiff('a.yaml', before, after, PLAIN);

/** Uses few different lines, so that many are equal. */
const text = fc
  .tuple(fc.array(fc.constantFrom('', 'a', 'b', '  c')), fc.boolean())
  .map(([lines, ends]) => lines.join('\n') + (ends ? '\n' : ''));

test('a diff, applied to the first text, gives the second', () => {
  fc.assert(
    fc.property(text, text, text, text, (start, before, after, end) => {
      const [from, to] = [start + before + end, start + after + end];
      const diff = diffOf(from, to);
      expect(diff === '').toBe(from === to);
      if (diff !== '') expect(applyPatch(from, diff)).toBe(to);
    }),
  );
});

test('a diff has three lines of context, with line numbers of the whole file', () => {
  const lines = Array.from({ length: 20 }, (_, index) => `${index + 1}`);
  const diff = diffOf(`${lines.join('\n')}\n`, `${lines.toSpliced(10, 0, 'new').join('\n')}\n`);
  expect(diff).toBe(`--- a.yaml
+++ a.yaml
@@ -8,6 +8,7 @@
 8
 9
 10
+new
 11
 12
 13
`);
});

test('the diff of a new file starts from /dev/null', () => {
  expect(diffOf(undefined, 'a\n')).toBe('--- /dev/null\n+++ a.yaml\n@@ -0,0 +1,1 @@\n+a\n');
});

test('a diff contains no control characters', () => {
  const diff = unifiedDiff('a\u001b[2J.yaml', 'a\u202e\r\nb', 'a\u202e\r\nc\u001b[31m\r\n', PLAIN);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
  expect(diff).not.toMatch(/[\u001b\u202e\r]/);
  expect(diff).toContain('+c\\u001b[31m\n');
});

test('additions and removals in a diff have different colors', () => {
  const diff = unifiedDiff('a.yaml', 'a\n', 'b\n', { ...PLAIN, color: true });
  expect(diff).toContain('\u001b[31m-a\u001b[0m\n\u001b[32m+b\u001b[0m\n');
});

test('a diff with 20,000 added lines takes less than five seconds', () => {
  const lines = (letter: string, count: number): string =>
    Array.from({ length: count }, (_, index) => `  - ${letter}${index}.example\n`).join('');
  const [there, more] = [lines('a', 20_000), lines('b', 20_000)];
  const started = performance.now();
  expect(diffOf(`websites:\n${there}`, `websites:\n${more}${there}`).split('\n')).toHaveLength(20_008);
  expect(performance.now() - started).toBeLessThan(5_000);
});
