// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} is the syntax under test
import { readFile } from 'node:fs/promises';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { keyReference } from '../../../scripts/reference/keys.ts';
import { jsonSchema, schemaText } from '../../../src/config/schema/json-schema.ts';
import { RECORD_KEYS, SERVICE_KEYS } from '../../../src/config/schema/keys.ts';
import type { Problem } from '../../../src/model/errors.ts';
import { WebsitesError } from '../../../src/model/errors.ts';
import { FIELD_NAMES, FIELDS } from '../../../src/model/field-table.ts';
import { problemsOf } from '../support.ts';

const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(jsonSchema());

/** True if the loader accepts a text. Variables are set to values that read as a boolean or number. */
async function isLoaded(text: string): Promise<boolean> {
  const problems = await problemsOf(text, { env: { ONE: '1' } }).catch(whereTargetsAre);
  return problems.every(({ severity }) => severity === 'warning');
}

/** Ignores the error that no target is chosen. */
function whereTargetsAre(error: unknown): readonly Problem[] {
  if (error instanceof WebsitesError && error.code === 'usage') return [];
  throw error;
}

const one = (entry: string): string => `websites:\n  - { domain: a.example, ${entry} }\n`;

test('the committed JSON schema is up to date', async () => {
  expect(await readFile('schema/websites.schema.json', 'utf8')).toBe(schemaText());
});

test.each([
  ['{}', true],
  ['version: 1', true],
  ['version: 2', false],
  ['version: "1"', false],
  ['websites:', true],
  ['websites: [a.example]', true],
  ['websites: [5]', false],
  ['websites: [null]', false],
  ['websites: [[]]', false],
  ['websites: [{}]', false],
  ['websites: [{ email: true }]', false],
  ['websites: { domain: a.example }', false],
  ['website: []', false],
  ['x-anchors: { whatever: [1] }', true],
  ['service:', true],
  ['service: { base_url: local, www: same, update: full }', true],
  ['service: { favorite: favorited_at }', true],
  ['service: { favorite: true }', false],
  ['service: { base_url: 5 }', false],
  ['service: { www: "${NONE:-same}" }', true],
  ['service: { www: both }', false],
  ['service: { url: local }', false],
  ['service: []', false],
  ['targets:', true],
  ['targets: { a: , b-2: { base_url: local, files: ["*.none"] } }', true],
  ['targets: { a: { favorite: favorite } }', true],
  ['targets: { a: { favorite: 1 } }', false],
  ['targets: { a: { api_key: { env: NAME } } }', true],
  ['targets: { a: { api_key: { file: key } } }', true],
  ['targets: { a: { api_key: text } }', false],
  ['targets: { a: { api_key: { env: NAME, file: key } } }', false],
  ['targets: { a: { api: 1 } }', false],
  ['targets: { A: {} }', false],
  ['targets: { file: {} }', false],
  ['targets: { -a: {} }', false],
  ['targets: []', false],
  ['prune: true', true],
  ['prune: "${NONE:-true}"', true],
  ['prune: 1', true],
  ['prune: "Off"', true],
  ['prune: 2', false],
  ['prune:', false],
  ['ignore: ["*.example"]', true],
  ['ignore:', true],
  ['ignore: a.example', false],
  ['protected: [5]', false],
  ['defaults:', true],
  ['defaults: { privacy: 1, favorite: true }', true],
  ['defaults: { favorite: true, favorited_at: 2026-01-31 }', false],
  ['defaults: { domain: a.example }', false],
  ['defaults: { protect: true }', false],
  [one('privacy: public'), true],
  [one('privacy: 7'), true],
  [one('privacy: -1'), false],
  [one('privacy: 1.5'), false],
  [one('privacy: "1"'), false],
  [one('privacy: secret'), false],
  [one('privacy: "${ONE}"'), true],
  [one('privacy: null'), false],
  [one('privacy: password, password: text'), true],
  [one('privacy: password, password: ""'), false],
  [one('privacy: password, password: 5'), false],
  [one('privacy: password, password: { env: P }'), true],
  [one('privacy: password, password: { file: p }'), true],
  [one('privacy: password, password: { env: P, file: p }'), false],
  [one('privacy: password, password: {}'), false],
  [one('privacy: password, password: "${P}"'), true],
  [one('password: null'), true],
  [one('email: true'), true],
  [one('email: 0'), true],
  [one('email: 2'), false],
  ...['true', 'Yes', 'ON', '1', 'FALSE', 'no', 'Off', '0'].map((word): [string, boolean] => [
    one(`email: "${word}"`),
    true,
  ]),
  [one('email: yes please'), false],
  [one('email: y'), false],
  [one('email: "${ONE}"'), true],
  [one('email: null'), false],
  [one('exclude_bots: no'), true],
  [one('exclude_params: [a]'), true],
  [one('exclude_params: []'), true],
  [one('exclude_params: null'), true],
  [one('exclude_params: a'), false],
  [one('exclude_params: ["${ONE}"]'), true],
  [one('exclude_params: [1]'), false],
  [one('exclude_ips: [192.0.2.1]'), true],
  [one('exclude_ips: "${ONE}"'), false],
  [one('favorited_at: 2026-01-31'), true],
  [one('favorited_at: null'), true],
  [one('favorited_at: 5'), false],
  [one('favorite: false'), true],
  [one('favorite: on'), true],
  [one('favorite: null'), false],
  [one('favorite: true, favorited_at: 2026-01-31'), false],
  [one('protect: true'), true],
  [one('protect: 1'), true],
  [one('protect: Yes'), true],
  [one('protect: maybe'), false],
  [one('state: absent'), true],
  [one('state: present, email: true'), true],
  [one('state: absent, email: true'), false],
  [one('state: gone'), false],
  [one('colour: red'), false],
])('the JSON schema and the loader agree about %j: %j', async (text, sound) => {
  expect({ schema: validate(parse(text)), loader: await isLoaded(text) }).toEqual({
    schema: sound,
    loader: sound,
  });
});

const value = fc.constantFrom<unknown>(
  ...['public', 'absent', 'same', '192.0.2.1', '2026-01-31', 'a.example', '${ONE}'],
  ...[0, 1, 2, 5, true, false, null, [], ['192.0.2.1'], ['a', '${ONE}'], { env: 'P' }, {}],
);
const flag = fc.constantFrom<unknown>(true, false, 0, 1, '${ONE}');
const list = fc.constantFrom<unknown>(null, [], ['192.0.2.1'], ['192.0.2.1', '${NONE:-2001:db8::1}']);
const time = fc.constantFrom<unknown>(null, '2026-01-31', '2026-01-31T09:00:00+02:00');
/** Values that fit each key; together they may still be invalid. */
const fit: Record<string, fc.Arbitrary<unknown>> = {
  privacy: fc.constantFrom<unknown>('public', 'password', 0, 7, '${ONE}'),
  password: fc.constantFrom<unknown>(null, 'text', '${P}', { env: 'P' }, { file: 'p' }),
  email: flag,
  exclude_bots: flag,
  exclude_params: list,
  exclude_ips: list,
  favorited_at: time,
  favorite: flag,
};
const own = { ...fit, state: fc.constantFrom('present', 'absent'), protect: fc.boolean() };
const keys = [...Object.keys(own), 'nonsense'];

test('the JSON schema accepts everything that the loader accepts', async () => {
  expect(Object.keys(fit)).toEqual([...FIELD_NAMES, 'favorite']);
  const odd = fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 1 });
  const some = (fits: typeof fit) =>
    fc
      .tuple(fc.record(fits, { requiredKeys: [] }), fc.subarray(Object.keys(fits), { maxLength: 3 }), odd)
      .map(([all, chosen, wrong]) => ({
        ...Object.fromEntries(Object.entries(all).filter(([key]) => chosen.includes(key))),
        ...wrong,
      }));
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(some(fit), some(own), async (defaults, record) => {
      const document = { defaults, websites: ['b.example', { domain: 'a.example', ...record }] };
      if (!(await isLoaded(stringify(document)))) return;
      expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
      if (Object.keys(defaults).length > 0 && Object.keys(record).length > 0) taken += 1;
    }),
    { numRuns: 120 },
  );
  expect(taken).toBeGreaterThan(4);
});

test.each(FIELD_NAMES.flatMap((name) => FIELDS[name].examples.map((example) => [name, example] as const)))(
  'the JSON schema and the loader accept the example "%s: %s"',
  async (name, example) => {
    const text = `websites:\n  - domain: a.example\n    privacy: password\n    ${name}: ${example}\n`.replace(
      name === 'privacy' ? '    privacy: password\n' : '\u0000',
      '',
    );
    expect({ schema: validate(parse(text)), loader: await isLoaded(text) }).toEqual({
      schema: true,
      loader: true,
    });
  },
);

test('the reference of keys has a row for every key', () => {
  const rows = keyReference(RECORD_KEYS).trimEnd().split('\n');
  expect(rows.slice(2).map((row) => row.split(' | ')[0])).toEqual(
    ['domain', 'state', ...FIELD_NAMES, 'favorite', 'protect'].map((name) => `| \`${name}\``),
  );
  expect(rows).toContain(
    '| `exclude_params` | Query parameters to exclude from URLs, in any order. | a list | `[utm_source, utm_medium]` | empties the list |',
  );
  expect(keyReference(SERVICE_KEYS)).toContain('| `www` | ');
});
