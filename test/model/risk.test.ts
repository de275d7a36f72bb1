import { expect, test } from 'vitest';
import { compareRisk, gravest, RISK_LEVELS, type Risk, ROUTINE } from '../../src/model/risk.ts';

const [critical, high, medium, low] = RISK_LEVELS.map(
  (level): Risk => ({ level, reason: `${level} one` }),
) as [Risk, Risk, Risk, Risk];

test.each([
  [[], ROUTINE],
  [[undefined], ROUTINE],
  [[low], ROUTINE],
  [[undefined, medium, low], medium],
  [[medium, high, undefined], high],
  [[high, critical, medium], critical],
])('the highest of the risks %j is chosen', (risks, worst) => {
  expect(gravest(risks)).toEqual(worst);
});

test('the first of equally high risks is chosen', () => {
  expect(gravest([high, { level: 'high', reason: 'later' }])).toBe(high);
});

test('compareRisk puts the highest risk first', () => {
  expect([low, critical, medium, high].sort(compareRisk)).toEqual([critical, high, medium, low]);
});
