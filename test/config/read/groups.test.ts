/** Groups under `websites`: of each setting the nearest level that names it decides. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { DesiredWebsite } from '../../../src/model/website.ts';
import { lines, load, problemsOf } from '../support.ts';

async function recordsOf(
  files: Parameters<typeof load>[0],
): Promise<Record<string, Partial<DesiredWebsite>>> {
  const patterns = { patterns: ['websites.yaml'] };
  const { desired } = await load(files, typeof files === 'string' ? {} : patterns);
  return Object.fromEntries(
    desired.websites.map(({ domain, group, settings, initial }) => [domain, { group, settings, initial }]),
  );
}

const ACME = `defaults: { privacy: private, exclude_bots: true, exclude_params: [a] }
websites:
  - example.com
  - group: acme
    defaults: { email: true, exclude_params: [b] }
    initial: { favorite: true }
    unmanaged: [exclude_bots]
    websites:
      - acme.com
      - { domain: shop.acme.com, privacy: public, initial: { email: false }, unmanaged: [favorite] }
      - from: acme.csv
`;

test('the values of a record are those of the nearest levels that name them, whole', async () => {
  expect(await recordsOf({ 'websites.yaml': ACME, 'acme.csv': 'domain,email\nb.acme.com,false\n' })).toEqual({
    'example.com': { settings: { privacy: 1, exclude_bots: true, exclude_params: ['a'] } },
    'acme.com': {
      group: 'acme',
      settings: { privacy: 1, email: true, exclude_params: ['b'] },
      initial: { favorited_at: true },
    },
    'shop.acme.com': {
      group: 'acme',
      settings: { privacy: 0, exclude_params: ['b'] },
      initial: { email: false },
    },
    'b.acme.com': {
      group: 'acme',
      settings: { privacy: 1, email: false, exclude_params: ['b'] },
      initial: { favorited_at: true },
    },
  });
});

describe('any nesting', () => {
  const FIELDS = ['email', 'exclude_bots', 'privacy'] as const;
  const said = fc.record(
    Object.fromEntries(
      FIELDS.map((name) => [
        name,
        fc.oneof(
          fc.constant(undefined),
          fc.record({
            as: fc.constantFrom('value' as const, 'initial' as const, 'unmanaged' as const),
            value: name === 'privacy' ? fc.constantFrom('public', 'private') : fc.boolean(),
          }),
        ),
      ]),
    ),
  );
  type Said = Readonly<Record<string, { readonly as: string; readonly value: unknown } | undefined>>;

  function keysOf(level: Said, values: string | undefined) {
    const of = (as: string) =>
      Object.fromEntries(
        Object.entries(level).flatMap(([name, one]) => (one?.as === as ? [[name, one.value]] : [])),
      );
    const own = values === undefined ? of('value') : { [values]: of('value') };
    return { ...own, initial: of('initial'), unmanaged: Object.keys(of('unmanaged')) };
  }

  test('is decided by the nearest level that names a setting', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(said, { minLength: 1, maxLength: 8 }), said, async (groups, record) => {
        let websites: unknown[] = [{ domain: 'a.example', ...keysOf(record, undefined) }];
        for (const [index, level] of [...groups.entries()].reverse()) {
          websites = [{ group: `g${index}`, ...keysOf(level, 'defaults'), websites }];
        }
        const { 'a.example': found } = await recordsOf(stringify({ websites }));
        const meant = (as: string) =>
          FIELDS.flatMap((name) => {
            const nearest = [record, ...groups.toReversed()].find((level) => level[name] !== undefined)?.[
              name
            ];
            const value = { public: 0, private: 1 }[String(nearest?.value)] ?? nearest?.value;
            return nearest?.as === as ? [[name, value]] : [];
          });
        expect(found?.group).toBe(`g${groups.length - 1}`);
        expect(found?.settings).toEqual(Object.fromEntries(meant('value')));
        expect(found?.initial ?? {}).toEqual(Object.fromEntries(meant('initial')));
      }),
      { numRuns: 60 },
    );
  });

  test('deeper than 8 is an error', async () => {
    let websites: unknown[] = ['a.example'];
    for (let depth = 9; depth > 0; depth -= 1) websites = [{ group: `g${depth}`, websites }];
    expect(lines(await problemsOf(stringify({ websites })))).toEqual([
      expect.stringMatching(/^\d+:\d+ groups are nested more than 8 deep here$/),
    ]);
  });
});

describe('errors, with their places', () => {
  test.each([
    ['a record', 'websites:\n  - { domain: a.example, email: true, initial: { email: true } }\n', '2:50'],
    [
      'a group',
      'websites:\n  - group: a\n    initial: { email: true }\n    unmanaged: [email]\n    websites: []\n',
      '4:17',
    ],
    ['the top', 'defaults: { email: true }\ninitial: { email: true }\nwebsites: []\n', '2:12'],
    [
      'two names of one field',
      'websites:\n  - { domain: a.example, favorite: true, unmanaged: [favorited_at] }\n',
      '2:54',
    ],
  ])('a setting that is named twice by %s', async (_, text, place) => {
    expect(lines(await problemsOf(text))).toEqual([
      expect.stringMatching(`^${place} .* is named twice at one level`),
    ]);
  });

  test('a name that is none, or that another group has', async () => {
    const text =
      'websites:\n  - { group: -a, websites: [] }\n  - { group: b, websites: [{ group: b, websites: [] }] }\n';
    const found = lines(await problemsOf(text));
    expect(found).toHaveLength(2);
    expect(found[0]).toMatch(/^2:14 /);
    expect(found[1]).toMatch(/^3:37 .*declared twice.*websites\.yaml:3:14/);
  });

  test('an unknown setting, and an unknown group of a table', async () => {
    const found = await problemsOf(
      {
        'websites.yaml': 'websites:\n  - { group: acme, unmanaged: [emial], websites: [{ from: a.csv }] }\n',
        'a.csv': 'domain,group\na.example,acne\n',
      },
      { patterns: ['websites.yaml'] },
    );
    expect(lines(found)).toEqual([
      expect.stringMatching(/^a\.csv:2:11 unknown group "acne"$/),
      expect.stringMatching(/^2:32 /),
    ]);
    expect(found[0]?.remedy).toBe('Did you mean acme?');
  });
});

test('the columns group and unmanaged of a table: the levels of the group replace those around "from"', async () => {
  const yaml = `defaults: { privacy: private }
websites:
  - group: acme
    defaults: { email: true }
    websites: [{ from: all.csv }]
  - group: beta
    defaults: { exclude_bots: true }
`;
  const csv = 'domain,group,unmanaged\na.example,,\nb.example,beta,\nc.example,beta,exclude_bots;privacy\n';
  expect(await recordsOf({ 'websites.yaml': yaml, 'all.csv': csv })).toEqual({
    'a.example': { group: 'acme', settings: { privacy: 1, email: true } },
    'b.example': { group: 'beta', settings: { privacy: 1, exclude_bots: true } },
    'c.example': { group: 'beta', settings: {} },
  });
});

test('privacy that is unmanaged under a default that is not public is a warning', async () => {
  const text = (privacy: string) =>
    `defaults: { privacy: ${privacy} }\nwebsites: [{ group: a, unmanaged: [privacy], websites: [] }]\n`;
  expect((await problemsOf(text('private'))).map(({ code }) => code)).toEqual(['privacy-unmanaged']);
  expect(await problemsOf(text('public'))).toEqual([]);
});

test('groups of several files: their records may be in those of others', async () => {
  const config = await load(
    {
      'a.yaml': 'websites: [{ group: acme, defaults: { email: true }, websites: [a.example] }]\n',
      'b.yaml': 'defaults: { privacy: private }\nwebsites: { from: b.csv }\n',
      'b.csv': 'domain,group\nb.example,acme\n',
    },
    { patterns: ['a.yaml', 'b.yaml'] },
  );
  expect(config.desired.websites.map(({ settings }) => settings)).toEqual([
    { privacy: 1, email: true },
    { privacy: 1, email: true },
  ]);
  expect(config.desired.groups).toEqual(new Map([['acme', undefined]]));
});
