import { describe, expect, test } from 'vitest';
import { decodeShown, shareShown } from '../../src/client/decode-settings.ts';

describe('records that show the same', () => {
  test.each<[string, object]>([
    ['values', { privacy: 1, email: 0, exclude_ips: null }],
    ['lists', { exclude_ips: ['192.0.2.1'], exclude_params: [] }],
    ['nothing', {}],
  ])('share %s', (_, raw) => {
    const read = shareShown();
    expect(read({ ...raw })).toBe(read(JSON.parse(JSON.stringify(raw))));
    expect(read({ ...raw })).toEqual(decodeShown({ ...raw }));
  });

  test.each<[string, object, object]>([
    ['a number and its text', { privacy: 1 }, { privacy: '1' }],
    ['a list and its text', { exclude_params: ['a'] }, { exclude_params: '["a"]' }],
    ['null and nothing', { exclude_ips: null }, {}],
    ['one field and the next', { exclude_params: 'a', exclude_ips: null }, { exclude_params: null }],
  ])('are not confused: %s', (_, a, b) => {
    const read = shareShown();
    expect([read({ ...a }), read({ ...b })]).toEqual([decodeShown({ ...a }), decodeShown({ ...b })]);
    expect(read({ ...a })).not.toBe(read({ ...b }));
  });
});

test('no more than so many are remembered, and the others read all the same', () => {
  const read = shareShown();
  const raw = (index: number) => ({ exclude_params: `p${index}` });
  for (let index = 0; index < 10_000; index += 1) read(raw(index));
  expect(read(raw(9999))).toBe(read(raw(9999)));
  expect(read(raw(10_000))).not.toBe(read(raw(10_000)));
  expect(read(raw(10_000))).toEqual(decodeShown(raw(10_000)));
});

test.each([
  [{ favorite: '2026-01-31 09:00:00' }, {}, true],
  [{ favorited_at: '2026-01-31 09:00:00' }, { favorited_at: 'favorite' }, true],
  [{ favorited_at: null }, { favorited_at: 'favorite' }, null],
  [{ favorite: '2026-01-31 09:00:00' }, { favorited_at: 'favorited_at' }, '2026-01-31T09:00:00Z'],
])('%j, pinned %j: a field that is known by its presence alone shows no time', (raw, pinned, value) => {
  expect(decodeShown(raw, pinned).settings).toEqual({ favorited_at: value });
  expect(shareShown(pinned)(raw).settings).toEqual({ favorited_at: value });
});
