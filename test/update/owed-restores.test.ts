import { expect, test } from 'vitest';
import type { Settings } from '../../src/model/field-table.ts';
import type { Website } from '../../src/model/website.ts';
import { judgeOwed, type Owing } from '../../src/update/owed-restores.ts';

const AT = Date.parse('2026-01-31T09:00:00Z');
const owing: Owing = {
  domain: 'a.example',
  id: '1',
  at: '2026-01-31T09:00:00Z',
  settings: { privacy: 1, email: true, exclude_ips: ['192.0.2.1'], favorited_at: '2026-01-01T00:00:00Z' },
  left: ['email', 'exclude_ips', 'favorited_at'],
};
const shows = (settings: Settings, domain = 'a.example'): Website => ({
  id: '1',
  domain,
  settings: { ...owing.settings, ...settings },
});

test.each<[string, Website | undefined, object, boolean?]>([
  ['nothing, where all is as it was', shows({}), { what: 'kept' }],
  ['nothing, where only what was sent differs', shows({ privacy: 0 }), { what: 'kept' }],
  ['what was emptied', shows({ exclude_ips: [] }), { what: 'lost', fields: ['exclude_ips'], isOld: false }],
  ['what was set to a constant', shows({ email: false }), { what: 'lost', fields: ['email'] }],
  ['both', shows({ email: false, favorited_at: null }), { fields: ['email', 'favorited_at'] }],
  [
    'nothing, where somebody wrote another value',
    shows({ exclude_ips: ['x'], email: false }),
    { what: 'edited' },
  ],
  ['nothing, of a record that is gone', undefined, { what: 'out of reach' }],
  ['nothing, of another website', shows({ email: false }, 'b.example'), { what: 'out of reach' }],
  ['nothing, of one that is ignored', shows({ email: false }), { what: 'out of reach' }, true],
])('a run owes %s', (_, website, judgment, isIgnored = false) => {
  expect(judgeOwed(owing, website, () => isIgnored, AT + 1000)).toMatchObject(judgment);
});

test.each([
  [3_599_999, false],
  [3_600_000, true],
  [-1, true],
])('after %i ms, what it owes is old: %j', (ms, isOld) => {
  expect(judgeOwed(owing, shows({ email: false }), () => false, AT + ms)).toMatchObject({ isOld });
});
