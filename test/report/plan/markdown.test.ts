import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Change } from '../../../src/model/change.ts';
import { RISK_LEVELS } from '../../../src/model/risk.ts';
import { safeDomain } from '../../../src/report/sanitize.ts';
import { given, planFor, times, wanted } from '../../support/plans.ts';
import { plan } from '../arbitrary.ts';
import { planMarkdown } from '../render.ts';
import { manyChanges } from '../situations.ts';

/** The changes whose domain is missing from the text. */
const unnamed = (text: string, changes: readonly Change[]): readonly Change[] =>
  changes.filter(({ domain }) => {
    const name = safeDomain(domain);
    return !text.includes(name) && !text.includes(name.replaceAll('```', '\\u0060\\u0060\\u0060'));
  });

/** The number of unnamed changes that the text reports. */
const told = (text: string): number =>
  [...text.matchAll(/\*\*Cut to fit:\*\* (\d+) more\./g)].reduce((sum, [, cut]) => sum + Number(cut), 0);

it('a plan in Markdown names the first record of a group of 50', () => {
  const many = planFor(
    given([
      ...times(600, (index) => wanted(`one-${index}.example`, { exclude_params: [`p${index}`] })),
      ...times(50, (index) => wanted(`group-${index}.example`, { email: true })),
    ]),
  );
  const text = planMarkdown(many, { limit: 12_000 });
  expect(text).toContain('+ create  50 records');
  expect(text).toContain('group-0.example');
});

it('a plan in Markdown stays within its limit, names risky changes, and counts the rest', () => {
  const large = manyChanges(11_000);
  expect(large.changes.length).toBeGreaterThan(10_000);
  const text = planMarkdown(large);
  expect(text.length).toBeLessThanOrEqual(64_000);
  const left = unnamed(text, large.changes);
  const isRisky = ({ action, risk }: Change): boolean =>
    action === 'delete' || /critical|high/.test(risk.level);
  expect(left.filter(isRisky)).toEqual([]);
  expect(told(text)).toBe(left.length);
});

it('with a low limit, a plan in Markdown omits the least risky changes and counts them', () => {
  const large = manyChanges(2_000);
  const text = planMarkdown(large, { limit: 5_000 });
  expect(text.length).toBeLessThanOrEqual(5_000);
  const left = unnamed(text.replace(/^\|.*$/gm, ''), large.changes);
  expect(told(text)).toBe(left.length);
  const ranks = (changes: readonly Change[]): number[] =>
    changes.map(({ risk }) => RISK_LEVELS.indexOf(risk.level));
  const named = large.changes.filter((change) => !left.includes(change));
  expect(named.length).toBeGreaterThan(30);
  expect(Math.min(...ranks(left))).toBeLessThanOrEqual(RISK_LEVELS.indexOf('high'));
  expect(Math.min(...ranks(left))).toBeGreaterThanOrEqual(Math.max(...ranks(named)));
});

it('a plan in Markdown stays within any limit, and counts every change', () => {
  fc.assert(
    fc.property(plan, fc.integer({ min: 4_000, max: 30_000 }), (value, limit) => {
      const text = planMarkdown(value, { limit });
      expect(text.length).toBeLessThanOrEqual(limit);
      if (told(text) === 0) expect(unnamed(text, value.changes)).toEqual([]);
    }),
  );
});
