/** Groups under `websites`: the nearest level that names a setting decides. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { DesiredWebsite } from '../../../src/model/website.ts';
import { lines, load, problemsOf } from '../support.ts';

async function recordsOf(
  files: Parameters<typeof load>[0],
): Promise<Record<string, Partial<DesiredWebsite>>> {
  const { desired } = await load(files);
  return Object.fromEntries(
    desired.websites.map(({ domain, group, settings }) => [domain, { group, settings }]),
  );
}

const ACME = `defaults: { privacy: private, exclude_bots: true, exclude_params: [a] }
websites:
  - example.com
  - group: acme
    defaults: { email: true, exclude_params: [b] }
    websites:
      - acme.com
      - { domain: shop.acme.com, privacy: public, email: false }
      - from: acme.csv
`;

test('a record takes each setting from the nearest group that has it', async () => {
  expect(await recordsOf({ 'websites.yaml': ACME, 'acme.csv': 'domain,email\nb.acme.com,false\n' })).toEqual({
    'example.com': { settings: { privacy: 1, exclude_bots: true, exclude_params: ['a'] } },
    'acme.com': {
      group: 'acme',
      settings: { privacy: 1, exclude_bots: true, email: true, exclude_params: ['b'] },
    },
    'shop.acme.com': {
      group: 'acme',
      settings: { privacy: 0, exclude_bots: true, email: false, exclude_params: ['b'] },
    },
    'b.acme.com': {
      group: 'acme',
      settings: { privacy: 1, exclude_bots: true, email: false, exclude_params: ['b'] },
    },
  });
});

const FIELDS = ['email', 'exclude_bots', 'privacy'] as const;
const said = fc.record(
  Object.fromEntries(
    FIELDS.map((name) => [
      name,
      name === 'privacy'
        ? fc.constantFrom('public', 'private', undefined)
        : fc.constantFrom(true, false, undefined),
    ]),
  ),
);

test('a setting comes from the nearest level in any nesting of groups', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(said, { minLength: 1, maxLength: 8 }), said, async (groups, record) => {
      let websites: unknown[] = [{ domain: 'a.example', ...record }];
      for (const [index, level] of [...groups.entries()].reverse()) {
        websites = [{ group: `g${index}`, defaults: level, websites }];
      }
      const { 'a.example': found } = await recordsOf(stringify({ websites }));
      const meant = FIELDS.flatMap((name) => {
        const nearest = [record, ...groups.toReversed()].find((level) => level[name] !== undefined)?.[name];
        return nearest === undefined ? [] : [[name, { public: 0, private: 1 }[String(nearest)] ?? nearest]];
      });
      expect(found?.group).toBe(`g${groups.length - 1}`);
      expect(found?.settings).toEqual(Object.fromEntries(meant));
    }),
    { numRuns: 60 },
  );
});

test('groups nested deeper than 8 levels are an error', async () => {
  let websites: unknown[] = ['a.example'];
  for (let depth = 9; depth > 0; depth -= 1) websites = [{ group: `g${depth}`, websites }];
  expect(lines(await problemsOf(stringify({ websites })))).toEqual([
    expect.stringMatching(/^\d+:\d+ groups are nested more than 8 deep here$/),
  ]);
});

test('a group name that is invalid or used twice is an error', async () => {
  const text =
    'websites:\n  - { group: -a, websites: [] }\n  - { group: b, websites: [{ group: b, websites: [] }] }\n';
  const found = lines(await problemsOf(text));
  expect(found).toHaveLength(2);
  expect(found[0]).toMatch(/^2:14 /);
  expect(found[1]).toMatch(/^3:37 .*declared twice.*websites\.yaml:3:14/);
});

test('an unknown setting of a group or an unknown group in a table is an error', async () => {
  const found = await problemsOf({
    'websites.yaml':
      'websites:\n  - { group: acme, defaults: { emial: true }, websites: [{ from: a.csv }] }\n',
    'a.csv': 'domain,group\na.example,acne\n',
  });
  expect(lines(found)).toEqual([
    expect.stringMatching(/^a\.csv:2:11 unknown group "acne"$/),
    expect.stringMatching(/^2:32 /),
  ]);
  expect(found[0]?.remedy).toBe('Did you mean acme?');
});

test('the group column of a table overrides the group around "from"', async () => {
  const yaml = `defaults: { privacy: private }
websites:
  - group: acme
    defaults: { email: true }
    websites: [{ from: all.csv }]
  - group: beta
    defaults: { exclude_bots: true }
`;
  const csv = 'domain,group\na.example,\nb.example,beta\n';
  expect(await recordsOf({ 'websites.yaml': yaml, 'all.csv': csv })).toEqual({
    'a.example': { group: 'acme', settings: { privacy: 1, email: true } },
    'b.example': { group: 'beta', settings: { privacy: 1, exclude_bots: true } },
  });
});

test('a bulk file can add records to a group of another file', async () => {
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
