/** A full apply on each kind of service: undeclared settings stay, and the second plan has no changes. */
import { expect, test } from 'vitest';
import type { Result } from '../../src/model/run.ts';
import { testFolder } from '../support/cli.ts';
import { runInProcess } from '../support/in-process.ts';
import { type Dialect, scripted } from '../support/scripted-service.ts';

const FILE = `version: 1
service: { www: distinct }
websites:
  - { domain: new.example, privacy: private, exclude_params: [b, a], favorite: true }
  - { domain: locked.example, privacy: password, password: { env: SITE_PASSWORD }, email: true }
  - { domain: old.example, email: true, exclude_ips: [192.0.2.1, 192.0.2.0/24] }
  - { domain: same.example, exclude_bots: true, exclude_params: [one, two] }
  - { domain: gone.example, state: absent }
`;
const STRIPPED = FILE.replace('distinct', 'same');
/** Declares privacy: where an update resets omitted settings, the website would become private otherwise. */
const PUBLIC = FILE.replace('old.example, ', 'old.example, privacy: public, ');
const KEPT = `${FILE}  - { domain: www.old.example, privacy: private }\n`;

/** Two pages: the declared records are the oldest, so they are on the last page. */
const OTHERS = Array.from({ length: 120 }, (_, index) => `other-${index}.test`);
const BEFORE = [
  { domain: 'old.example', privacy: 0, exclude_params: 'kept', favorited_at: '2026-01-31 09:00:00' },
  { domain: 'same.example', exclude_params: 'two\none' },
  { domain: 'gone.example' },
  ...OTHERS,
];

const dialects: [string, Partial<Dialect>, string?][] = [
  ['a total in its lists', {}],
  ['next links without a total', { paging: 'links' }],
  ['pages by cursor', { paging: 'cursor' }],
  ['lists as a bare array', { envelope: '', one: '', paging: 'numbers' }],
  ['lists in the member "websites"', { envelope: 'websites', one: 'website' }],
  ['a page parameter that it ignores', { envelope: '', paging: 'ignored' }],
  ['a page size of at most 25', { largestPage: 25 }],
  ['a page size that is always 10', { defaultPage: 10, refusedParameters: ['per_page', 'sort'] }],
  ['links that name another host', { paging: 'links', linksTo: 'http://internal.invalid' }],
  ['a search that matches whole domains only', { paging: 'ignored', search: 'exact' }],
  ['fields that lists hide', { hiddenInList: ['email', 'exclude_ips', 'favorited_at'] }],
  [
    'fields that it never returns',
    { hiddenInList: ['email', 'password'], hiddenInRead: ['email', 'password'] },
  ],
  ['null fields that it omits', { nulls: 'left out' }],
  [
    'null fields that it omits and others that it hides',
    { nulls: 'left out', hiddenInList: ['exclude_params'], hiddenInRead: ['email'] },
  ],
  ['IDs and numbers as strings', { ids: 'string', numbers: 'string' }],
  ['flags as booleans', { numbers: 'boolean' }],
  ['lines that end in CRLF', { lineEnd: '\r\n' }],
  ['times with microseconds', { times: 'micro' }],
  ['times with an offset', { times: 'offset' }],
  ['a boolean favorite', { favorite: 'favorite' }],
  ['updates that reset omitted settings', { put: 'replace' }, PUBLIC],
  ['updates that reset a list', { put: { resets: ['exclude_params'] } }],
  ['domains that keep www.', { www: 'keep', letters: 'keep' }, KEPT],
  ['domains that lose www.', { www: 'strip' }, STRIPPED.replace('new.example', 'www.new.example')],
  ['errors as HTML pages', { errors: 'html' }],
  ['responses to writes that show only an ID', { writeAnswer: 'id' }],
  ['empty responses to writes', { writeAnswer: 'empty' }],
  ['writes that it shows 300 ms later', { lagMs: 300 }],
  ['a rate limit', { rateLimit: { requests: 8, windowMs: 1000, headers: 'laravel' } }],
  ['a path before its API', { prefix: '/stats' }],
];

test.each(dialects)(
  'apply changes only declared settings on a service with %s',
  async (_, dialect, file = FILE) => {
    const service = await scripted({ dialect, records: BEFORE });
    const folder = await testFolder({ 'websites.yaml': file });
    const env = { ...service.env, SITE_PASSWORD: 'pass-word' };
    const before = new Map(service.records().map((record) => [record.domain, { ...record }]));

    const applied = await runInProcess(['apply', '--auto-approve', '--format', 'json'], folder, env);
    const result = JSON.parse(applied.stdout) as Result;
    expect({ code: applied.code, ...result }).toMatchObject({ code: 0, failures: [], converged: true });

    const after = new Map(service.records().map((record) => [record.domain, record]));
    expect(after.size).toBe(service.records().length);
    for (const domain of OTHERS) expect(after.get(domain)).toEqual(before.get(domain));
    expect(after.get('same.example')).toEqual(before.get('same.example'));
    expect(after.has('gone.example')).toBe(false);
    expect(after.get('new.example')).toMatchObject({ privacy: 1, exclude_params: 'b\na' });
    expect(after.get('new.example')?.favorited_at).not.toBeNull();
    expect(after.get('locked.example')).toMatchObject({ privacy: 2, password: 'pass-word', email: 1 });
    expect(after.get('old.example')).toMatchObject({
      email: 1,
      privacy: 0,
      exclude_params: 'kept',
      exclude_ips: '192.0.2.1\n192.0.2.0/24',
    });
    expect(after.get('old.example')?.favorited_at).not.toBeNull();

    const planned = await runInProcess(['plan', '--detailed-exitcode'], folder, env);
    expect(planned.stdout).toContain('No changes.');
    expect(planned.code).toBe(0);
  },
);

test('apply sends or removes a password even if lists hide whether one is set', async () => {
  const records = [
    { domain: 'open.example', privacy: 2, password: null },
    { domain: 'set.example', privacy: 2, password: 'kept' },
    { domain: 'idle.example', password: 'old' },
  ];
  const service = await scripted({ dialect: { hiddenInList: ['password'] }, records });
  const folder = await testFolder({
    'websites.yaml': `defaults: { privacy: password, password: { env: SITE_PASSWORD } }
websites: [open.example, set.example, { domain: idle.example, privacy: private, password: null }]
`,
  });
  const env = { ...service.env, SITE_PASSWORD: 'pass-word' };

  expect((await runInProcess(['plan', '--detailed-exitcode'], folder, env)).code).toBe(2);
  expect((await runInProcess(['apply', '--auto-approve'], folder, env)).code).toBe(0);
  expect(service.records().map(({ password }) => password)).toEqual(['pass-word', 'kept', null]);
  expect((await runInProcess(['plan', '--detailed-exitcode'], folder, env)).code).toBe(0);
});

test('plan finds an undeclared value in a field that lists hide and records omit if empty', async () => {
  const without = Array.from({ length: 9 }, (_, index) => `none-${index}.example`);
  const dialect: Partial<Dialect> = { hiddenInList: ['exclude_params'], nulls: 'left out' };
  const records = [
    ...without.map((domain) => ({ domain, ...(domain.includes('8') ? { exclude_params: 'by-hand' } : {}) })),
    { domain: 'some.example', exclude_params: 'ref' },
  ];
  const service = await scripted({ dialect, records });
  const folder = await testFolder({
    'websites.yaml': `defaults: { exclude_params: [] }
websites: [${without.join(', ')}, { domain: some.example, exclude_params: [ref] }]
`,
  });
  const { env } = service;
  const { stdout } = await runInProcess(['plan', '--format', 'json'], folder, env);
  expect(JSON.parse(stdout)).toMatchObject({
    changes: [{ domain: 'none-8.example', fields: { exclude_params: { before: ['by-hand'], after: [] } } }],
    warnings: [],
  });
});

test.each<[string, Partial<Dialect>]>([
  ['fields that lists hide', { hiddenInList: ['privacy', 'email', 'exclude_params', 'favorited_at'] }],
  [
    'fields that lists hide and records omit if null',
    { hiddenInList: ['privacy', 'email'], nulls: 'left out' },
  ],
])('undo of a delete restores %s', async (_, dialect) => {
  const lost = { privacy: 0, email: 1, exclude_params: 'a\nb', favorited_at: '2026-01-31 09:00:00' };
  const records = [
    { domain: 'gone.example', ...lost },
    { domain: 'pruned.example', ...lost },
    'same.example',
  ];
  const service = await scripted({ dialect, records });
  const file = 'version: 1\nprune: true\nwebsites: [same.example, { domain: gone.example, state: absent }]\n';
  const folder = await testFolder({ 'websites.yaml': file });
  const { env } = service;

  expect((await runInProcess(['apply', '--auto-approve'], folder, env)).code).toBe(0);
  expect(service.records().map(({ domain }) => domain)).toEqual(['same.example']);
  expect((await runInProcess(['undo', '--auto-approve'], folder, env)).code).toBe(0);
  const after = new Map(service.records().map((record) => [record.domain, record]));
  expect(after.get('gone.example')).toMatchObject(lost);
  expect(after.get('pruned.example')).toMatchObject(lost);
});

test('undo compares and restores fields that lists hide', async () => {
  const service = await scripted({
    dialect: { hiddenInList: ['privacy', 'exclude_ips'] },
    records: ['same.example'],
  });
  const settings = 'privacy: public, exclude_ips: [192.0.2.1]';
  const folder = await testFolder({
    'websites.yaml': `websites: [same.example, { domain: new.example, ${settings} }]\n`,
  });
  const { env } = service;
  const undo = () => runInProcess(['undo', '--auto-approve'], folder, env);

  expect((await runInProcess(['apply', '--auto-approve'], folder, env)).code).toBe(0);
  service.change(2, { exclude_ips: null });
  expect((await undo()).code).toBe(4);
  service.change(2, { exclude_ips: '192.0.2.1' });
  expect((await undo()).code).toBe(0);
  expect(service.records().map(({ domain }) => domain)).toEqual(['same.example']);
  expect((await undo()).code).toBe(0);
  expect(service.records()[1]).toMatchObject({ id: 3, privacy: 0, exclude_ips: '192.0.2.1' });
});

test('settings under "service" apply even if the URL comes from the environment', async () => {
  const service = await scripted({ dialect: { favorite: 'favorite' } });
  const folder = await testFolder({
    // No record exists that could show the name of the favorite field.
    'websites.yaml': 'service: { favorite: favorite }\nwebsites: [{ domain: a.example, favorite: true }]\n',
  });
  const { env } = service;
  expect(await runInProcess(['apply', '--auto-approve'], folder, env)).toMatchObject({ code: 0 });
  expect(service.requests.find(({ method }) => method === 'POST')?.body).toMatch(/(?:^|&)favorite=1(?:&|$)/);
});
