import { describe, expect, test } from 'vitest';
import { isNamed } from '../../src/model/domain.ts';
import { disputeOver, disputeText, startDisputes } from '../../src/model/identity.ts';
import type { WwwRule } from '../../src/model/website.ts';

const at = (id: string, domain: string) => ({ id, domain });

describe('a record goes by a domain', () => {
  test.each<[string, WwwRule | 'undecided' | undefined, boolean]>([
    ['a.example', 'distinct', true],
    ['A.Example.', 'distinct', true],
    ['www.a.example', undefined, true],
    ['www.a.example', 'undecided', true],
    ['www.a.example', 'same', true],
    ['www.a.example', 'distinct', false],
    ['b.example', 'same', false],
    ['www.www.a.example', 'same', false],
  ])('%s with www %s: %s', (domain, www, isIt) => {
    expect(isNamed({ domain }, 'a.example', www)).toBe(isIt);
  });
});

describe('an id', () => {
  test('that was not shown before, or for the same website, is not disputed', () => {
    const disputes = startDisputes(() => 'distinct');
    expect(disputes.agree(undefined, at('1', 'a.example'))).toBe(true);
    expect(disputes.agree(at('1', 'a.example'), at('1', 'A.example'))).toBe(true);
    expect(disputes.all()).toEqual([]);
  });

  test('that was shown for two websites is, from then on, whatever it is shown for', () => {
    const disputes = startDisputes(() => undefined);
    expect(disputes.agree(at('1', 'a.example'), at('1', 'B.example'))).toBe(false);
    expect(disputes.agree(at('1', 'a.example'), at('1', 'a.example'))).toBe(false);
    expect(disputes.agree(undefined, at('1', 'c.example'))).toBe(false);
    expect(disputes.has('1')).toBe(true);
    expect(disputes.has('2')).toBe(false);
    expect(disputes.all()).toEqual([{ id: '1', domains: ['a.example', 'b.example', 'c.example'] }]);
  });

  test.each<[WwwRule | 'undecided' | undefined, boolean]>([
    [undefined, true],
    ['undecided', true],
    ['same', true],
    ['distinct', false],
  ])('that is shown for a domain and its www variant: with www %s the two agree: %s', (www, agree) => {
    const disputes = startDisputes(() => www);
    expect(disputes.agree(at('1', 'www.a.example'), at('1', 'a.example'))).toBe(agree);
  });

  test('that others know to be disputed is so', () => {
    const disputes = startDisputes(() => undefined);
    disputes.add([{ id: '1', domains: ['a.example', 'b.example'] }]);
    disputes.add(undefined);
    expect(disputes.agree(undefined, at('1', 'a.example'))).toBe(false);
  });
});

describe('a dispute', () => {
  const disputed = [{ id: '1', domains: ['a.example', 'b.example'] }];

  test('is over each of its domains, and over their www variants unless these are others', () => {
    expect(disputeOver(disputed, 'b.example', 'distinct')).toBe(disputed[0]);
    expect(disputeOver(disputed, 'www.b.example')).toBe(disputed[0]);
    expect(disputeOver(disputed, 'www.b.example', 'distinct')).toBeUndefined();
    expect(disputeOver(undefined, 'b.example')).toBeUndefined();
  });

  test('is told by the id and all of its domains', () => {
    expect(disputeText(disputed)).toBe('#1 for a.example and b.example');
  });
});
