/** Arbitrary desired and current records, with few domains and values, so that they meet. */
import fc from 'fast-check';
import { normaliseDomain } from '../../src/model/domain.ts';
import { FIELD_NAMES, FIELDS, type FieldName, type Settings } from '../../src/model/field-table.ts';
import type { Value } from '../../src/model/field-types.ts';
import type { PlanOptions } from '../../src/model/plan.ts';
import type { SecretRef } from '../../src/model/secret.ts';
import type { Desired, DesiredWebsite } from '../../src/model/website.ts';
import { RECORD_DEFAULTS, type Stored, type Ways } from './model.ts';

/** The value of every secret that a desired record declares as a literal. */
const LITERAL = 'marked-secret-7391';

/** The password of every record that has one. */
export const PASSWORD = 'kept-password-5120';

const DOMAINS = [
  'a.example',
  'b.example',
  'c.example',
  'x.internal.example',
  'deep.x.internal.example',
  'xn--mnchen-3ya.example',
  '__proto__',
  'shop.a.example',
  'localhost',
] as const;

/** Spellings in which a service may write a domain. */
const SPELLINGS: readonly ((domain: string) => string)[] = [
  (domain) => domain,
  (domain) => domain.toUpperCase(),
  (domain) => `${domain}.`,
  (domain) => `https://${domain}/`,
  (domain) => domain.replace('xn--mnchen-3ya', 'münchen'),
];

const domain = fc
  .tuple(fc.constantFrom(...DOMAINS), fc.boolean())
  .map(([name, www]) => (www ? `www.${name}` : name));

export const pattern = fc.oneof(
  domain,
  fc.constantFrom('*.internal.example', 'www.*', '*a.ex*', 'b*', '*b*e*'),
);

const TIMES = ['2024-02-03 04:05:06', '2026-01-31T09:00:00Z', '2026-01-31T11:00:00.500+02:00'] as const;
const PARAMS = ['utm_source', 'utm_medium', 'ref', '__proto__'] as const;
const IPS = ['192.0.2.0/24', '2001:DB8:0:0::1', '2001:db8::1', '198.51.100.7'] as const;

/** Values of each field in YAML. LITERAL is a password in plain text. */
const YAML: Readonly<Record<FieldName, fc.Arbitrary<unknown>>> = {
  privacy: fc.constantFrom('public', 'private', 'password', 0, 1, 2, 7),
  password: fc.constantFrom({ env: 'A' }, { file: './b' }, LITERAL, null),
  email: fc.constantFrom(true, false, 0, 1),
  exclude_bots: fc.constantFrom(true, false, 0, 1),
  exclude_params: fc.option(fc.array(fc.constantFrom(...PARAMS), { maxLength: 5 })),
  exclude_ips: fc.option(fc.array(fc.constantFrom(...IPS), { maxLength: 5 })),
  favorited_at: fc.oneof(fc.constantFrom(...TIMES), fc.constant(null)),
};

/** The value as the reader of the files returns it: a literal is the reference of its place. */
function declared(name: FieldName, raw: unknown, line: number): Value {
  const value = FIELDS[name].kind.input.parse(raw);
  return raw === LITERAL ? ({ yaml: `websites.yaml:${line}:9` } satisfies SecretRef) : value;
}

function settingsOf(raw: Partial<Record<FieldName, unknown>>, favourite: boolean, line: number): Settings {
  const settings: { [Name in FieldName]?: Value } = {};
  for (const name of FIELD_NAMES) if (name in raw) settings[name] = declared(name, raw[name], line);
  if (favourite) settings.favorited_at = true;
  return settings;
}

const present = fc
  .tuple(
    domain,
    fc.record(YAML, { requiredKeys: [] }),
    fc.boolean(),
    fc.boolean(),
    fc.integer({ min: 1, max: 999 }),
  )
  .map(
    ([name, raw, favourite, protect, line]): DesiredWebsite => ({
      domain: name,
      state: 'present',
      // A create with `privacy: password` needs a password.
      settings: settingsOf({ ...(isLocked(raw) ? { password: { env: 'A' } } : {}), ...raw }, favourite, line),
      protect,
      source: { file: 'websites.yaml', line, column: 5 },
    }),
  );

function isLocked({ privacy }: { privacy?: unknown }): boolean {
  return privacy === 2 || privacy === 'password';
}

const absent = domain.map(
  (name): DesiredWebsite => ({
    domain: name,
    state: 'absent',
    settings: {},
    protect: false,
    source: { file: 'websites.yaml', line: 1, column: 5 },
  }),
);

/** Desired records without a contradiction. */
export const desired: fc.Arbitrary<Desired> = fc.record({
  websites: fc.uniqueArray(fc.oneof({ weight: 5, arbitrary: present }, absent), {
    selector: (website) => website.domain,
    maxLength: 10,
  }),
  ignore: fc.array(fc.constantFrom('*.internal.example', 'www.b.example', 'c.example'), { maxLength: 1 }),
  protected: fc.array(pattern, { maxLength: 2 }),
});

const stored = fc
  .record({
    domain: fc.tuple(domain, fc.constantFrom(...SPELLINGS)).map(([name, spell]) => spell(name)),
    privacy: fc.constantFrom('0', '1', '2', '7'),
    password: fc.constantFrom('', PASSWORD),
    email: fc.constantFrom('0', '1'),
    exclude_bots: fc.constantFrom('0', '1'),
    exclude_params: fc.array(fc.constantFrom(...PARAMS), { maxLength: 3 }).map((items) => items.join('\n')),
    exclude_ips: fc.array(fc.constantFrom(...IPS), { maxLength: 3 }).map((items) => items.join('\n')),
    favorited_at: fc.constantFrom('', ...TIMES),
  })
  .map((fields) => ({ ...RECORD_DEFAULTS, ...fields }));

/** Records of a service. With `unique`, no two have the same domain, as on a correct service. */
export const storedRecords = (ways: Ways, unique: boolean): fc.Arbitrary<readonly Stored[]> =>
  fc
    .uniqueArray(stored, {
      selector: (record) => (unique ? keyOf(record.domain, ways) : record),
      maxLength: 10,
    })
    .map((records) =>
      records.map((record, index) => ({
        ...record,
        domain: ways.www === 'stripped' ? keyOf(record.domain, ways) : record.domain,
        id: index + 1,
      })),
    );

function keyOf(text: string, ways: Ways): string {
  const normalised = normaliseDomain(text);
  const key = 'domain' in normalised ? normalised.domain : text;
  return ways.www === 'stripped' ? key.replace(/^www\./, '') : key;
}

const hidden = fc.subarray<FieldName>(['privacy', 'email', 'exclude_ips', 'favorited_at', 'password'], {
  maxLength: 2,
});

export const ways: fc.Arbitrary<Ways> = fc.record({
  put: fc.constantFrom('merge', 'replace'),
  www: fc.constantFrom('kept', 'stripped'),
  numbers: fc.constantFrom('number', 'text', 'boolean'),
  lines: fc.constantFrom('\n', '\r\n'),
  empty: fc.constantFrom('', null),
  favourite: fc.constantFrom('time', 'boolean'),
  hides: fc.oneof(fc.constant([]), hidden),
});

/** Options with every approval. */
export const options: fc.Arbitrary<PlanOptions> = fc.record({
  prune: fc.boolean(),
  update: fc.constant('full' as const),
  domain: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(pattern, { maxLength: 2 })),
  exclude: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.array(pattern, { maxLength: 2 })),
  resend_passwords: fc.boolean(),
  allow: fc.constant({ empty: true, deletes: 1e6, updates: 1e6 }),
});
