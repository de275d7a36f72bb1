import { describe, expect, test } from 'vitest';
import type { PlanOptions } from '../../src/model/plan.ts';
import type { Desired, DesiredWebsite, EarlierFiles, WwwRule } from '../../src/model/website.ts';
import { isLookUpEnough } from '../../src/planner/match.ts';
import { domainsAbout } from '../../src/planner/selection.ts';
import { absent, NO_FLAGS, NO_RECORDS, shown, wanted } from '../support/plans.ts';

function files(websites: readonly DesiredWebsite[], more: Partial<Desired> = {}): Desired {
  return { websites, ignore: [], protected: [], ...more };
}

function earlierFiles(websites: readonly DesiredWebsite[], more: Partial<EarlierFiles> = {}): EarlierFiles {
  return { ...files(websites), prune: false, onlyWebsites: true, ...more };
}

const about = (now: Desired, options: Partial<PlanOptions>, before?: EarlierFiles) =>
  domainsAbout(now, { ...NO_FLAGS, ...options }, before);

const now = files([wanted('a.example'), wanted('b.example'), wanted('www.c.example')]);

test.each<[what: string, options: Partial<PlanOptions>, domains: readonly string[] | undefined]>([
  ['nothing is named', {}, undefined],
  ['one is named', { domain: ['a.example'] }, ['a.example']],
  ['one is named in capitals', { domain: ['A.Example'] }, ['a.example']],
  ['one that is not declared is named', { domain: ['other.example'] }, ['other.example']],
  ['one of the names is a pattern', { domain: ['a.example', 'b.*'] }, undefined],
  ['one is excluded', { domain: ['a.example', 'b.example'], exclude: ['b.*'] }, ['a.example']],
  ['some are excluded', { exclude: ['b.example'] }, undefined],
  ['orphans are pruned', { domain: ['a.example'], prune: true }, undefined],
  ['www is the same', { domain: ['c.example'], www: 'same' }, ['www.c.example', 'c.example']],
  ['www is distinct', { domain: ['c.example'], www: 'distinct' }, ['c.example']],
])('a plan reads single websites instead of the list if possible: %s', (_, options, domains) => {
  expect(about(now, options)).toEqual(domains);
});

describe('with groups', () => {
  const groups = new Map([
    ['shops', undefined],
    ['small', 'shops'],
    ['blogs', undefined],
  ]);
  const now = files(
    [
      wanted('a.example', {}, 1, { group: 'shops' }),
      wanted('b.example', {}, 1, { group: 'small' }),
      wanted('c.example', {}, 1, { group: 'blogs' }),
      wanted('d.example'),
    ],
    { groups },
  );

  test('plan --group reads only the websites of the group and its inner groups', () => {
    expect(about(now, { group: ['shops'] })).toEqual(['a.example', 'b.example']);
    expect(about(now, { group: ['shops'], exclude: ['b.example'] })).toEqual(['a.example']);
    expect(about(now, { group: ['shops'], domain: ['*.example'] })).toEqual(['a.example', 'b.example']);
    expect(about(now, { group: ['shops'], prune: true })).toBeUndefined();
  });

  test('plan --group also reads websites that were in the group at --since', () => {
    const before = earlierFiles([...now.websites, wanted('old.example', {}, 1, { group: 'small' })], {
      groups,
    });
    expect(about(now, { group: ['shops'] }, before)).toEqual(['a.example', 'b.example', 'old.example']);
    expect(about(now, { group: ['shops'], only: 'config' }, before)).toEqual([]);
    expect(about(now, { group: ['shops'], only: 'config', prune: 'removed' }, before)).toEqual([
      'old.example',
    ]);
  });
});

const only = (now: DesiredWebsite, before: DesiredWebsite[]) =>
  about(files([now, wanted('same.example')]), { only: 'config' }, earlierFiles(before));
const same = wanted('same.example');
const secret = { source: 'yaml', file: 'websites.yaml', line: 1, column: 1 } as never;

test.each<[what: string, now: DesiredWebsite, before: DesiredWebsite[]]>([
  ['is new', wanted('a.example'), []],
  ['has another value', wanted('a.example', { email: true }), [wanted('a.example', { email: false })]],
  ['has one more setting', wanted('a.example', { email: true }), [wanted('a.example')]],
  ['has one setting less', wanted('a.example'), [wanted('a.example', { email: true })]],
  ['is absent now', absent('a.example'), [wanted('a.example')]],
  ['is protected now', wanted('a.example', {}, 1, { protect: true }), [wanted('a.example')]],
])('plan --since --only config reads a website that %s', (_, now, before) => {
  expect(only(now, [...before, same])).toEqual(['a.example']);
});

test.each<[what: string, now: DesiredWebsite, before: DesiredWebsite]>([
  ['is in another line', wanted('a.example', {}, 7), wanted('a.example')],
  ['is in another group', wanted('a.example', {}, 1, { group: 'g' }), wanted('a.example')],
  [
    'means the same',
    wanted('a.example', { exclude_ips: ['192.0.2.2', '192.0.2.1'] }),
    wanted('a.example', { exclude_ips: ['192.0.2.1', '192.0.2.2'] }),
  ],
])('plan --since --only config does not read a website that %s', (_, now, before) => {
  expect(only(now, [before, same])).toEqual([]);
});

test('plan --since --only config does not read a website that is no longer declared', () => {
  expect(about(files([same]), { only: 'config' }, earlierFiles([same, wanted('a.example')]))).toEqual([]);
});

test('plan --resend-passwords --since --only config reads websites that have a password', () => {
  const one = wanted('a.example', { password: secret });
  const [now, before] = [files([one, same]), earlierFiles([one, same])];
  expect(about(now, { only: 'config', resend_passwords: true }, before)).toEqual(['a.example']);
  expect(about(now, { only: 'config' }, before)).toEqual([]);
});

test('--domain limits the websites that plan --since --only config reads', () => {
  const now = files([wanted('a.example'), wanted('b.example')]);
  const options = { only: 'config', domain: ['a.*', 'same.example'] } as const;
  expect(about(now, options, earlierFiles([]))).toEqual(['a.example']);
});

test.each<[what: string, options: Partial<PlanOptions>, before: EarlierFiles | undefined]>([
  ['other keys of the files differ', { only: 'config' }, earlierFiles([], { onlyWebsites: false })],
  ['--only drift is set', { only: 'drift' }, earlierFiles([])],
  ['--only is not set', {}, earlierFiles([])],
  ['orphans are pruned', { only: 'config', prune: true }, earlierFiles([])],
])('plan --since reads all records if %s', (_, options, before) => {
  expect(about(files([wanted('a.example')]), options, before)).toBeUndefined();
});

const enough = (
  names: readonly string[],
  found: readonly string[],
  now: Desired = files(names.map((name) => wanted(name))),
  www?: WwwRule,
  earlier?: EarlierFiles,
) => {
  const websites = found.map((name, index) => shown(name, index + 1));
  const rules = { ...NO_FLAGS, ...(www && { www }) };
  return isLookUpEnough(names, { ...NO_RECORDS, websites }, { desired: now, rules, context: { earlier } });
};

test('a search that finds the exact domain or nothing is enough for a plan', () => {
  expect(enough(['a.example'], ['a.example'])).toBe(true);
  expect(enough(['a.example'], [])).toBe(true);
  expect(enough(['www.a.example'], ['www.a.example', 'a.example'])).toBe(true);
});

test('without service.www, a plan needs all records if a search finds only a www variant', () => {
  expect(enough(['a.example'], ['www.a.example'])).toBe(false);
  expect(enough(['www.a.example'], ['a.example'])).toBe(false);
  expect(enough(['a.example'], ['www.a.example'], undefined, 'same')).toBe(true);
  expect(enough(['a.example'], ['www.a.example'], undefined, 'distinct')).toBe(true);
});

test.each<[what: string, now: Desired, earlier?: EarlierFiles]>([
  ['is declared', files([wanted('a.example'), wanted('www.a.example')])],
  ['is ignored', files([wanted('a.example')], { ignore: ['www.a.example'] })],
  ['is protected', files([wanted('a.example')], { protected: ['www.a.example'] })],
  ['was declared', files([wanted('a.example')]), earlierFiles([wanted('www.a.example')])],
])('without service.www, a plan needs all records if the www variant %s', (_, now, earlier) => {
  expect(enough(['a.example'], ['a.example'], now, undefined, earlier)).toBe(false);
  expect(enough(['a.example'], ['a.example'], now, 'distinct', earlier)).toBe(true);
  // A www. record shows that the service distinguishes the two names.
  expect(enough(['a.example'], ['a.example', 'www.a.example'], now, undefined, earlier)).toBe(true);
});
