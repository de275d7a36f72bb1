import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { FIELDS, type FieldName, READABLE_NAMES } from '../../../src/model/field-table.ts';
import type { Current } from '../../../src/model/website.ts';
import { commonSettings, type Exported, exportOf } from '../../../src/report/export/export.ts';
import { type ExportDestination, exportDocument } from '../../../src/report/export/report.ts';
import { type YamlHead, yamlFile, yamlText } from '../../../src/report/export/yaml.ts';
import { terminalText } from '../../../src/report/media/terminal.ts';
import { trimPlain } from '../../../src/util/look-alikes.ts';
import { domainOf, planFor, shown, times } from '../../support/plans.ts';
import { hostileText, UNSAFE } from '../arbitrary.ts';
import { currentOf, websites } from './records.ts';

const SERVICE = { base_url: 'https://analytics.example.com' };
const reported = (exported: Exported, destination: ExportDestination): string =>
  terminalText(exportDocument(exported, destination), { color: false, width: 100 });

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'websites-test-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const piecesOf = (exported: Exported, head: YamlHead = { service: SERVICE }): string[] => [
  ...yamlFile(head, commonSettings(exported.websites), exported),
];
const yamlOf = (exported: Exported, head?: YamlHead): string => piecesOf(exported, head).join('');
const variablesOf = ({ websites }: Exported) =>
  websites.flatMap(({ settings: { password } }) => (password as { env: string } | undefined)?.env ?? []);

async function load(text: string) {
  await writeFile(join(folder, 'websites.yaml'), text);
  return loadConfig({
    patterns: ['websites.yaml'],
    cwd: folder,
    env: { HOME: '/home/somebody' },
    stdin: (async function* () {})(),
  });
}

async function planOfExport(current: Current) {
  const exported = exportOf(current);
  const { desired, pins } = await load(yamlOf(exported));
  expect(pins).toEqual(SERVICE);
  return { exported, desired, plan: planFor({ desired, current }) };
}

test('the plan of an export has no changes, and only orphans that the export reports', async () => {
  await fc.assert(
    fc.asyncProperty(
      websites,
      fc.constantFrom<FieldName[]>([], ['favorited_at']),
      async (records, presenceOnly) => {
        const { exported, desired, plan } = await planOfExport(currentOf(records, presenceOnly));
        expect(plan.changes).toEqual([]);
        expect(plan.guards.filter(({ code }) => code !== 'empty')).toEqual([]);
        const left = exported.unlisted.filter(({ pattern }) => pattern === undefined);
        const doubled = new Set(exported.duplicates.map(({ domain }) => domain));
        expect(plan.orphans.map(({ domain }) => domain)).toEqual(
          left.map(({ domain }) => domain).filter((domain) => !doubled.has(domain)),
        );
        expect(desired.websites.map(({ domain }) => domain)).toEqual(
          exported.websites.map(({ domain }) => domain),
        );
      },
    ),
    { numRuns: 80 },
  );
});

test('an export declares or reports every value that the service shows', async () => {
  await fc.assert(
    fc.asyncProperty(websites, async (records) => {
      const { exported, desired } = await planOfExport(currentOf(records));
      const told = new Set(
        exported.websites.flatMap(({ domain, undeclared }) =>
          undeclared.map(({ field }) => `${domain} ${field}`),
        ),
      );
      const byDomain = new Map(desired.websites.map((website) => [website.domain, website.settings]));
      for (const { domain, settings } of exported.websites) {
        const declared = byDomain.get(domain) ?? {};
        for (const name of READABLE_NAMES) {
          const value = settings[name];
          const own = declared[name];
          const isDeclared = own !== undefined && value !== undefined && FIELDS[name].kind.equal(own, value);
          expect([domain, name, own, isDeclared]).toEqual([domain, name, own, value !== undefined]);
          expect(value === undefined || !told.has(`${domain} ${name}`)).toBe(true);
        }
      }
    }),
    { numRuns: 50 },
  );
});

test('an export declares a password as a variable, and its plan changes no password', async () => {
  const { exported, desired, plan } = await planOfExport(
    currentOf([
      shown('a.example', 1, { privacy: 2 }, { passwordSet: true }),
      shown('b.example', 2, { privacy: 2 }),
      shown('c.example', 3, { privacy: 2 }, { passwordSet: false }),
      shown('d.example', 4, { privacy: 0 }, { passwordSet: true }),
    ]),
  );
  expect(plan.changes).toEqual([]);
  expect(desired.websites.map(({ settings }) => settings.password)).toEqual([
    { env: 'PASSWORD_A_EXAMPLE' },
    { env: 'PASSWORD_B_EXAMPLE' },
    null,
    undefined,
  ]);
  expect(exported.websites.flatMap(({ undeclared }) => undeclared)).toEqual([
    { field: 'password', reason: 'is set, but only used with privacy: password' },
  ]);
});

test('an export writes defaults, ignored domains and sorted websites as YAML', () => {
  const common = { privacy: 1, email: false, exclude_bots: true, exclude_params: [], exclude_ips: [] };
  const records = [
    shown('shop.example.com', 3, {
      ...common,
      privacy: 2,
      exclude_params: ['utm_source', 'ref;id', `\${x}`, 'null'],
      exclude_ips: times(9, (index) => `2001:db8::${index + 1}`),
      favorited_at: '2026-01-31T09:00:00Z',
    }),
    shown('Example.com', 1, { ...common, favorited_at: null }),
    shown('example.org', 2, { ...common, favorited_at: true }),
    shown('4chan.example', 4, { ...common, email: true, exclude_ips: ['192.0.2.0/24', '2001:db8::1'] }),
    shown('bad domain', 5, common),
  ];
  const text = yamlOf(exportOf(currentOf(records)), {
    comments: ['As the service had them.'],
    service: { base_url: 'https://analytics.example.com/stats', www: 'same' },
  });
  expect(text).toBe(`# As the service had them.
version: 1

service:
  base_url: https://analytics.example.com/stats
  www: same

defaults:
  privacy: private
  email: false
  exclude_bots: true
  exclude_params: []
  exclude_ips: []

ignore:
  - "bad*domain"

websites:
  - domain: 4chan.example
    email: true
    exclude_ips: [192.0.2.0/24, "2001:db8::1"]
  - domain: example.com
    favorite: false
  - domain: example.org
    favorite: true
  - domain: shop.example.com
    privacy: password
    password: { env: PASSWORD_SHOP_EXAMPLE_COM }
    exclude_params: [utm_source, "ref;id", "$\${x}", "null"]
    exclude_ips:
      - "2001:db8::1"
      - "2001:db8::2"
      - "2001:db8::3"
      - "2001:db8::4"
      - "2001:db8::5"
      - "2001:db8::6"
      - "2001:db8::7"
      - "2001:db8::8"
      - "2001:db8::9"
    favorited_at: 2026-01-31T09:00:00Z
`);
});

test('an export is written in pieces of less than 100 characters', () => {
  const records = times(2_000, (index) => shown(domainOf(index), index, { email: index % 2 === 0 }));
  const pieces = piecesOf(exportOf(currentOf(records)));
  expect(pieces.length).toBeGreaterThan(2_000);
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(100);
});

const defaultsOf = (records: Current['websites']): unknown =>
  /\ndefaults:\n((?: {2}.*\n)+)/.exec(yamlOf(exportOf(currentOf(records))))?.[1]?.trim();
const three = (settings: readonly [object, object, object]): Current['websites'] =>
  settings.map((one, index) => shown(`${index}.example`, index, one));

test.each<[string, Current['websites'], string | undefined]>([
  [
    'a value that more than half have',
    three([{ email: true }, { email: true }, { email: false }]),
    'email: true',
  ],
  ['no value that at most half have', three([{ privacy: 0 }, { privacy: 1 }, { privacy: 2 }]), undefined],
  ['no value that a record does not show', three([{ email: true }, { email: true }, {}]), undefined],
  [
    'an empty list',
    three([{ exclude_ips: [] }, { exclude_ips: [] }, { exclude_ips: ['::1'] }]),
    'exclude_ips: []',
  ],
  [
    'a favorite only as false',
    three([{ favorited_at: true }, { favorited_at: true }, { favorited_at: true }]),
    'favorite: false',
  ],
  [
    'lists in any order',
    three([{ exclude_params: ['a', 'b'] }, { exclude_params: ['b', 'a'] }, { exclude_params: [] }]),
    'exclude_params: [a, b]',
  ],
  ['nothing for a single record', [shown('a.example', 1, { email: true })], undefined],
])('the defaults of an export contain %s', (_, records, expected) => {
  expect(defaultsOf(records)).toBe(expected);
});

test('an export overrides a default with an empty list for a record without a value', async () => {
  const records = three([{ exclude_params: ['a'] }, { exclude_params: ['a'] }, { exclude_params: [] }]);
  const { plan } = await planOfExport(currentOf(records));
  expect(plan.changes).toEqual([]);
  expect(yamlOf(exportOf(currentOf(records)))).toContain('- domain: 2.example\n    exclude_params: []\n');
});

test('an export does not depend on the order of records', () => {
  fc.assert(
    fc.property(websites, fc.infiniteStream(fc.nat()), (records, ranks) => {
      const distinct = [
        ...new Map(records.map((record) => [record.domain.trim().toLowerCase(), record])).values(),
      ];
      const unique = distinct.map((record, index) => ({ ...record, id: String(index) }));
      const ranked = unique.map((record) => ({ record, rank: ranks.next().value ?? 0 }));
      const shuffled = ranked.sort((a, b) => a.rank - b.rank).map(({ record }) => record);
      const same = (a: Exported): string[] => a.websites.map(({ domain }) => domain);
      expect(same(exportOf(currentOf(shuffled)))).toEqual(same(exportOf(currentOf(unique))));
      const ignored = ({ unlisted }: Exported) => unlisted.map(({ pattern }) => pattern).toSorted();
      expect(ignored(exportOf(currentOf(shuffled)))).toEqual(ignored(exportOf(currentOf(unique))));
    }),
  );
});

test.each<[string, string[], string | undefined]>([
  ['bad domain', [], 'bad*domain'],
  ['me@example.com', ['example.com'], 'me*example.com'],
  ['*.example.com', [], '*.example.com'],
  ['*.example.com', ['a.example.com'], undefined],
  ['*', [], undefined],
  ['{}', [], undefined],
  ['a b', ['axb'], undefined],
  ['a b c d', [], undefined],
  ['', [], undefined],
  ['a..b', [], 'a.*.b'],
  ['a..b', ['a.x.b'], undefined],
  ['-a.example', ['b-a.example.org'], '*-a.example'],
  ['1.2.3', [], '1.2.*3'],
  [`${'a'.repeat(64)}.example`, [], undefined],
])('the pattern that an export of %j next to %j ignores is %j', (domain, others, pattern) => {
  const records = [domain, ...others].map((name, index) => shown(name, index));
  const { unlisted, websites: listed } = exportOf(currentOf(records));
  expect(unlisted.map((one) => one.pattern)).toEqual([pattern]);
  expect(listed.map((website) => website.domain)).toEqual(others);
});

test('an export has the first of several records with one domain, and reports all', async () => {
  const records = [
    shown('a.example', 10, { email: true }),
    shown('A.example', 9, { email: false }),
    shown('b.example', 11, { email: true }),
  ];
  const { exported, plan } = await planOfExport(currentOf(records));
  expect(exported.duplicates).toEqual([{ domain: 'a.example', ids: ['9', '10'] }]);
  expect(exported.websites.map(({ domain }) => domain)).toEqual(['a.example', 'b.example']);
  expect(plan.changes).toEqual([]);
});

test('an export names variables uniquely, and the same way each time', () => {
  const locked = (...domains: string[]) =>
    variablesOf(exportOf(currentOf(domains.map((domain, index) => shown(domain, index, { privacy: 2 })))));
  expect(locked('a-b.com', 'a.b.com', 'websites.com', '1.com')).toEqual([
    'PASSWORD_1_COM',
    'PASSWORD_A__B_COM',
    'PASSWORD_A_B_COM',
    'PASSWORD_WEBSITES_COM',
  ]);
  expect(locked('a.b.com')).toEqual(['PASSWORD_A_B_COM']);
  expect(locked('a.b.com', 'a_b.com')).toEqual(['PASSWORD_A_B_COM', 'PASSWORD_A_B_COM__2']);
});

test('any text that an export writes is read back unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(hostileText, async (value) => {
      const written = yamlText(value);
      expect(written).not.toMatch(UNSAFE);
      const { desired } = await load(
        `version: 1\nwebsites:\n  - domain: a.example\n    exclude_params: [${written}, "x"]\n`,
      ).catch(() => ({ desired: undefined }));
      const trimmed = trimPlain(value);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what the loader refuses
      const isRefused = trimmed === '' || /[\x00-\x1f\x7f]/.test(trimmed);
      const expected = isRefused ? undefined : [...new Set([trimmed, 'x'])];
      expect(desired?.websites[0]?.settings.exclude_params).toEqual(expected);
    }),
    { numRuns: 80 },
  );
});

test('the report of an export without findings is one line', () => {
  const exported = exportOf(
    currentOf([shown('a.example', 1, Object.fromEntries(READABLE_NAMES.map((name) => [name, null])))]),
  );
  expect(reported(exported, {})).toBe('Exported 1 website.\n');
});

test('the report of an export lists 50 variables and counts the others', () => {
  const many = times(60, (index) => shown(domainOf(index), index, { privacy: 2 }));
  const lines = reported(exportOf(currentOf(many)), {}).split('\n');
  expect(lines.filter((line) => line.startsWith('  PASSWORD_SITE__000'))).toHaveLength(50);
  expect(lines).toContain('  … and 10 more');
});

test('the report of an export contains no control characters', () => {
  fc.assert(
    fc.property(websites, (some) => {
      const text = reported(exportOf(currentOf(some)), { isAdded: true });
      expect(text.replaceAll('\n', '')).not.toMatch(UNSAFE);
    }),
  );
});
