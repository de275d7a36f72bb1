import { describe, expect, test } from 'vitest';
import { formsOf } from '../../../src/client/doctor/value-formats.ts';

const NONE = { ids: null, flags: null, line_ends: null, times: null };

describe('formsOf', () => {
  test.each<[object[], object]>([
    [[], {}],
    [[{ id: 1, email: 0 }], { ids: 'number', flags: 'number' }],
    [[{ id: '1', exclude_bots: '1' }], { ids: 'text', flags: 'text' }],
    [[{ email: null }, { email: true }], { flags: 'boolean' }],
    [[{ exclude_params: 'one' }, { exclude_ips: '192.0.2.1\r\n192.0.2.2' }], { line_ends: 'CRLF' }],
    [[{ exclude_params: 'a\nb' }], { line_ends: 'LF' }],
    [[{ exclude_params: ['a', 'b'] }], {}],
    [[{ favorited_at: '' }, { favorited_at: '2026-01-31 09:00:00' }], { times: 'without offset' }],
    [[{ favorited_at: '2026-01-31T09:00:00.000000Z' }], { times: 'with offset' }],
    [[{ favorited_at: '2026-01-31T09:00:00+0200' }], { times: 'with offset' }],
    [[{ favorited_at: '1769850000' }], { times: 'seconds since 1970' }],
    [[{ favorited_at: false }, null as unknown as object], {}],
  ])('of %j', (rows, forms) => {
    expect(formsOf(rows)).toEqual({ ...NONE, ...forms });
  });
});
