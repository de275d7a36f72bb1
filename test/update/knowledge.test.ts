import { describe, expect, test } from 'vitest';
import {
  alwaysStays,
  behaviorOf,
  keepsPasswords,
  knowledgeKey,
  learnedText,
  NOTHING_KNOWN,
  settingsIn,
  withKnowledge,
  withoutKnowledge,
} from '../../src/update/knowledge.ts';

const known = (stays: string[], reset: string[] = []) => withKnowledge(NOTHING_KNOWN, { stays, reset });

describe('what a service does with a setting that an update omits', () => {
  test.each([
    ['email', true, 'email=1'],
    ['email', false, 'email=0'],
    ['exclude_bots', 3, 'exclude_bots=3'],
    ['exclude_ips', ['192.0.2.1'], 'exclude_ips'],
    ['favorited_at', '2026-01-31T09:00:00Z', 'favorited_at'],
    ['favorited_at', true, 'favorited_at'],
  ] as const)('is known of %s: %j by %s', (name, value, key) => {
    expect(knowledgeKey(name, value)).toBe(key);
  });

  test('is unknown at first, and a reset overrules', () => {
    expect(behaviorOf(NOTHING_KNOWN, 'email', true)).toBe('unknown');
    expect(behaviorOf(known(['email=1']), 'email', true)).toBe('stays');
    expect(behaviorOf(known(['email=1']), 'email', false)).toBe('unknown');
    expect(behaviorOf(known(['email=1'], ['email=1']), 'email', true)).toBe('reset');
  });

  test('is never known to keep privacy', () => {
    expect(behaviorOf(known(['privacy=0', 'privacy=1']), 'privacy', 0)).toBe('unknown');
  });

  test('is known of any value of a number only by both, of a list by one', () => {
    expect(alwaysStays(known(['email=1']), 'email')).toBe(false);
    expect(alwaysStays(known(['email=1', 'email=0']), 'email')).toBe(true);
    expect(alwaysStays(known(['exclude_ips']), 'exclude_ips')).toBe(true);
  });

  test.each([
    [[], [], false],
    [['email=1'], [], false],
    [['exclude_ips'], [], false],
    [['email=1', 'favorited_at'], [], false],
    [['email=1', 'exclude_ips'], [], true],
    [['email=1', 'exclude_ips'], ['exclude_bots=0'], false],
    [['email=1', 'exclude_ips'], ['password'], false],
  ])('lets a password be omitted after a text and a number stayed: %j, %j', (stays, reset, keeps) => {
    expect(keepsPasswords(known(stays, reset))).toBe(keeps);
  });

  test('is forgotten setting by setting, save that it resets', () => {
    const forgotten = withoutKnowledge(known(['email=1', 'email=0', 'exclude_ips'], ['email=0']), ['email']);
    expect([[...forgotten.stays], [...forgotten.reset]]).toEqual([['exclude_ips'], ['email=0']]);
  });

  test('is told with the pin that fits', () => {
    expect(learnedText(known(['email=1', 'email=0']))).toContain('"changed"');
    expect(learnedText(known(['email=1'], ['exclude_ips']))).toContain('"full"');
    expect(settingsIn(new Set(['email=1', 'email=0', 'exclude_ips']))).toEqual(['email', 'exclude_ips']);
  });
});
