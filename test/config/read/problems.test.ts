// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} is the syntax of references
import { describe, expect, test } from 'vitest';
import { lines, problemsOf } from '../support.ts';

const records = (...items: string[]): string => `websites:\n${items.map((item) => `  - ${item}\n`).join('')}`;

type Row = [text: string, ...told: string[]];

const SYNTAX: Row[] = [
  ['websites:\n\t- a.example\n\t- b.example\n', '2:1 a tab indents this line'],
  ['websites:\n  - domain: a.example\n  \temail: true\n', '3:1 a tab indents this line'],
  ['websites:\n  - "a.example\n  - b.example\n', '2:5 this quote is not closed'],
  ['ignore: [a.b\nwebsites: []\n', '1:9 this bracket is not closed'],
  ['ignore: [a.b}\n', '1:9 this bracket is not closed'],
  ['websites:\n  - domain: a.example: b\n', '2:13 a value cannot continue with a key'],
  ['websites:\n  - domain: a.example\n   email: true\n', '3:1 the indentation fits none of the lines above'],
  ['websites:\n  - a.example\n - b.example\n', '3:1 the indentation fits none of the lines above'],
  [
    'websites:\n  - domain: a.example\n    exclude_params:\n        - a\n      - b\n',
    '5:1 the indentation fits none of the lines above',
  ],
  ['version:1\nprune: true\n', '1:1 this is not a key with a value'],
  ['websites:\n  - @a\n', '2:5 a value without quotes cannot start with this character'],
  ['websites: ["\\q"]\n', '1:13 unknown escape sequence'],
  ['websites: [{ domain: ${A} }]\n', '1:23 a variable between brackets must be in quotes'],
  ['websites:\n  - "a"b\n', '2:8 this does not belong here'],
  ['websites:\n  - !env A\n', '2:5 tags are not supported'],
  [
    'websites:\n  - *a\n  - { <<: *b, domain: *c }\n',
    ...['2:5', '3:11', '3:23'].map(
      (place) => `${place} this alias has no anchor above it: a value that starts with * is an alias`,
    ),
  ],
  ['ignore: [*]\n', '1:10 a value that starts with * must be in quotes'],
  ['x-a: &a [*a]\n', '1:10 this alias is inside the value that it refers to'],
  ['websites: []\n---\nwebsites: []\n', '2:1 a second document starts here'],
  ['service:\n  www: same\n  # why\n  : local\n', '4:5 a value without a key'],
  ['[a]: 1\n', '1:1 a key must be a plain string'],
  [
    'websites:\n  - domain: a.example\n    domain: b.example\nwebsites: []\n',
    '3:5 the key domain is given twice in one map',
    '4:1 the key websites is given twice in one map',
  ],
  [
    'websites:\n  - <<: { email: true }\n    domain: a.example\n    <<: { email: false }\n',
    '4:5 the key << is given twice in one map',
  ],
  [
    'websites:\n  - <<: 5\n    domain: a.example\n    emial: true\n',
    '2:9 the value of << is neither a map nor a list of maps',
  ],
  ['websites:\n  - "\\q"\n  - @a\n', '2:6 unknown escape sequence'],
];

const TOP: Row[] = [
  ['', '1:1 the file is empty'],
  ['# nothing yet\n', '1:1 the file is empty'],
  [
    '- a.example\n',
    '1:1 the top of a file must be a map with the keys version, service, targets, prune, scope, defaults, ignore, protected, websites',
  ],
  ['webistes: []\n', '1:1 unknown key webistes'],
  ['"a b": 1\nwebsites: []\n', '1:1 unknown key "a b"'],
  [
    'version: 2\nfuture: 1\n',
    '1:10 version must be 1, the only version that this release reads',
    '2:1 unknown key future',
  ],
  ['version: "1"\nwebsites: []\n', '1:10 version must be 1, the only version that this release reads'],
  ['prune: 2\nwebsites: []\n', '1:8 prune must be true, false or removed'],
  [
    'service:\n  baseurl: x\n  base_url: ftp://a.example\n  www: both\n  update: some\nwebsites: []\n',
    '2:3 unknown key baseurl',
    '3:13 base_url must be "local", or a URL such as https://analytics.example.com, without credentials, query or /api/v1',
    '4:8 www must be same or distinct',
    '5:11 update must be auto or changed or full',
  ],
  [
    'service: { base_url: https://a.example/?x }\ntargets: { a: { base_url: https://a.example/api/v1/ } }\n',
    '1:22 base_url must be "local", or a URL such as https://analytics.example.com, without credentials, query or /api/v1',
    '2:27 base_url must be "local", or a URL such as https://analytics.example.com, without credentials, query or /api/v1',
  ],
  ['service: local\n', '1:10 service must be a map with the keys base_url, www, update, favorite'],
  [
    'defaults: []\n',
    '1:11 defaults must be a map with the keys privacy, password, email, exclude_bots, exclude_params, exclude_ips, favorited_at, favorite',
  ],
  ['defaults: { domain: a.example }\n', '1:13 unknown key domain'],
  ['defaults: { email: maybe }\nwebsites: [a.example, b.example]\n', '1:20 email must be true or false'],
  ['websites: { domain: a.example }\n', '1:11 websites must be a list'],
  [
    'ignore: ["a b", https://a.example, "*.bücher*.example", "", 5]\nprotected: example.com\n',
    '1:10 ignore: "a b" is not a valid domain pattern: it contains white space',
    '1:17 ignore: "https://a.example" is not a valid domain pattern: it contains the scheme',
    '1:36 ignore: "*.bücher*.example" is not a valid domain pattern: an internationalized label cannot contain a *',
    '1:57 ignore: "" is not a valid domain pattern: it is empty',
    '1:61 an item of ignore must be a pattern, as a string',
    '2:12 protected must be a list',
  ],
];

const RECORDS: Row[] = [
  [
    records('42', 'true', '', '[a]'),
    ...['2:5', '3:5', '4:5', '5:5'].map(
      (place) => `${place} domain must be a string, such as shop.example.com`,
    ),
  ],
  [
    records('a b.example', '"ex*mple.com"', 'user@example.com', '""'),
    '2:5 "a b.example" is not a domain: it contains white space',
    '3:5 "ex*mple.com" is not a domain: it contains a *, which is valid only in patterns',
    '4:5 "user@example.com" is not a domain: it contains an @, like an email address or credentials',
    '5:5 "" is not a domain: it is empty',
  ],
  [
    records(
      'https://a.example:8080/x?y',
      'b.example/',
      '192.0.2.1',
      'localhost',
      'my_shop.example',
      'domain: a.c',
    ),
    '2:5 warning: ignored the scheme and the path and the port of "https://a.example:8080/x?…"',
    '3:5 warning: ignored the path of "b.example/"',
    '4:5 warning: 192.0.2.1 is an IP address, not a domain',
    '5:5 warning: localhost is a single label, without a dot',
    '6:5 warning: my_shop.example contains an underscore, which host names do not allow',
    '7:13 warning: a.c does not end in a top-level domain',
  ],
  [records('domain: 5'), '2:13 domain must be a string, such as shop.example.com'],
  [records('email: true'), '2:5 this record has no domain'],
  [records('domian: a.example'), '2:5 unknown key domian'],
  [records('a.example: { email: true }'), '2:5 unknown key a.example'],
  [
    records('{ domain: a.example, excludeips: [], foo: 1, __proto__: 1, constructor: 1 }'),
    '2:26 unknown key excludeips',
    '2:42 unknown key foo',
    '2:50 unknown key __proto__',
    '2:64 unknown key constructor',
  ],
  [
    records(
      'domain: a.example\n    privacy: secret\n    email: maybe\n    exclude_bots: 2\n    exclude_params: utm\n    exclude_ips: 192.0.2.1\n    favorited_at: 5\n    protect: 2\n    state: gone',
    ),
    '3:14 privacy must be public, private, password or a number (0, 1, 2)',
    '4:12 email must be true or false',
    '5:19 exclude_bots must be true or false',
    '6:21 exclude_params must be a list',
    '7:18 exclude_ips must be a list',
    '8:19 favorited_at must be a time, such as 2026-01-31T09:00:00',
    '9:14 protect must be true or false',
    '10:12 state must be present or absent',
  ],
  [
    records(
      '{ domain: a.example, privacy: -1 }',
      '{ domain: b.example, privacy: 1.5 }',
      '{ domain: c.example, privacy: .inf }',
      '{ domain: d.example, privacy: 99999999999999999999 }',
    ),
    ...['2:35', '3:35', '4:35', '5:35'].map(
      (place) => `${place} privacy must be public, private, password or a number (0, 1, 2)`,
    ),
  ],
  [
    records('{ domain: a.example, privacy: 7 }'),
    '2:35 warning: privacy 7 is not a known value and is sent unchanged',
  ],
  [
    records(
      'domain: a.example\n    exclude_ips: [192.0.2.256, "2001:db8::1/129", 7]\n    exclude_params:\n      - "a\\nb"\n      - {}',
    ),
    '3:19 exclude_ips: "192.0.2.256" is not an IP address or network',
    '3:32 exclude_ips: "2001:db8::1/129" is not an IP address or network',
    '3:51 an item of exclude_ips must be an IP address or network, as a string',
    '5:9 exclude_params: "a\\nb" is not a query parameter',
    '6:9 an item of exclude_params must be a query parameter, as a string',
  ],
  [
    records(
      '{ domain: a.example, favorited_at: 2026-02-30 }',
      '{ domain: b.example, favorited_at: yesterday }',
    ),
    '2:40 favorited_at: "2026-02-30" is not a time that exists, such as 2026-01-31T09:00:00',
    '3:40 favorited_at: "yesterday" is not a time that exists, such as 2026-01-31T09:00:00',
  ],
  [
    records('{ domain: a.example, privacy: null, email: , exclude_bots: ~ }'),
    '2:35 privacy must be public, private, password or a number (0, 1, 2)',
    '2:41 email must be true or false',
    '2:64 exclude_bots must be true or false',
  ],
  [
    records(
      '{ domain: a.example, favorite: true, favorited_at: 2026-01-31 }',
      '{ domain: b.example, favorite: null }',
    ),
    '2:26 favorite and favorited_at cannot be declared together',
    '3:36 favorite must be true or false',
  ],
  [
    records(
      '{ domain: a.example, password: { env: P } }',
      '{ domain: b.example, privacy: public, password: { env: P } }',
      '{ domain: c.example, privacy: nobody, password: { env: P } }',
    ),
    '2:26 password is only used with privacy: password',
    '3:43 password is only used with privacy: password',
    '4:35 privacy must be public, private, password or a number (0, 1, 2)',
  ],
  [
    records('{ domain: a.example, privacy: password, password: hunter2 }'),
    '2:45 warning: password is stored in plain text',
  ],
  [
    records('{ domain: a.example, privacy: password, password: one,hunter2 }'),
    '2:45 warning: password is stored in plain text',
    '2:59 unknown key without a value. It is not shown, because it may be part of a secret',
  ],
  [
    records(
      ...['12345', '""', '[a]', '{ envv: A }', '{ env: A, file: b }'].map(
        (password, index) => `{ domain: ${index}.example, privacy: password, password: ${password} }`,
      ),
    ),
    ...[2, 3, 4, 5, 6].map((line) => `${line}:55 password must be { env: NAME }, { file: PATH } or a string`),
  ],
  [
    records('{ domain: a.example, state: absent, privacy: 1, protect: true }'),
    '2:41 state: absent allows no key except domain. Found: privacy, protect',
  ],
  [
    records('a.example', 'www.a.example', 'A.Example.', '{ domain: a.example, state: absent }'),
    '4:5 a.example is declared twice, first at websites.yaml:2:5',
    '5:15 a.example is declared twice, first at websites.yaml:2:5',
  ],
  [
    `ignore: [b.example, "*.internal.example"]\n${records('a.internal.example', '{ domain: b.example, state: absent }', 'internal.example')}`,
    '3:5 a.internal.example is declared, and ignored by "*.internal.example" (websites.yaml:1:21)',
    '4:15 b.example is declared, and ignored by "b.example" (websites.yaml:1:10)',
  ],
  [
    `x-base: &base\n  email: maybe\n  exclude_ips: [bad]\n  nope: 1\n${records('{ <<: *base, domain: a.example }', '{ <<: [*base], domain: b.example }', '{ <<: *base, domain: c.example, email: true }')}`,
    '2:10 email must be true or false',
    '3:17 exclude_ips: "bad" is not an IP address or network',
    '4:3 unknown key nope',
  ],
];

describe.each([
  ['syntax', SYNTAX],
  ['top of a file', TOP],
  ['records', RECORDS],
])('%s', (_, table) => {
  test.each(table)('the file %j has the same problems with any line ends: %j', async (text, ...told) => {
    const problems = await problemsOf(text);
    expect(lines(problems)).toEqual(told);
    expect(lines(await problemsOf(`\ufeff${text.replaceAll('\n', '\r\n')}`))).toEqual(told);
    for (const { place, excerpt } of problems) {
      if (excerpt === undefined || place === undefined) continue;
      expect(text.split('\n')[place.line - 1]).toContain(excerpt.text.replace(/…$/, ''));
      expect(excerpt.length).toBeGreaterThan(0);
      expect(place.column - 1 + excerpt.length).toBeLessThanOrEqual(excerpt.text.length + 1);
    }
  });
});

test('loading reports the problems of all files together, sorted by file and location', async () => {
  const problems = await problemsOf({
    'b.yaml': 'websites: [a b, "c d"]\n',
    'a.yaml': 'prune: 5\nwebsites:\n\t- x\n',
    'c.yaml': Buffer.from([0xff]),
    'd.yaml': 'version: 3\n',
  });
  expect(lines(problems)).toEqual([
    'a.yaml:3:1 a tab indents this line',
    'b.yaml:1:12 "a b" is not a domain: it contains white space',
    'b.yaml:1:17 "c d" is not a domain: it contains white space',
    'c.yaml:1:1 the file is not UTF-8 text: it may be in an older encoding, such as Windows-1252',
    'd.yaml:1:10 version must be 1, the only version that this release reads',
  ]);
});

test.each([
  ['is not valid YAML', 'defaults:\n\tprivacy: password\n', 'a.yaml:2:1 a tab indents this line'],
  [
    'is not a map',
    '- privacy: password\n',
    expect.stringContaining('a.yaml:1:1 the top of a file must be a map'),
  ],
  ['is empty', 'null\n', expect.stringContaining('a.yaml:1:1 ')],
  [
    'has a default that cannot be read',
    'defaults: { privacy: passwort }\n',
    expect.stringContaining('a.yaml:1:22 '),
  ],
])('a file that %s does not cause problems in another file', async (_, text, problem) => {
  const problems = await problemsOf({
    'a.yaml': text,
    'b.yaml': records('{ domain: a.example, password: { env: P } }'),
  });
  expect(lines(problems)).toEqual([problem]);
});

test('an error shows at most 200 characters of a long line', async () => {
  const problems = await problemsOf(`websites: [a b, ${'x.example, '.repeat(10_000)}"c d"]\n`);
  const [near, far] = [problems[0], problems.at(-1)];
  expect(near?.excerpt?.text).toHaveLength(201);
  expect(far?.place?.column).toBeGreaterThan(100_000);
  expect(far?.excerpt).toBeUndefined();
});

test('an error shows at most 80 characters of a long value', async () => {
  const [problem] = await problemsOf(records(`"${'x'.repeat(100_000)}"`));
  expect(problem?.message).toBe(`"${'x'.repeat(80)}…" is not a domain: it is longer than 253 characters`);
});

test('an error never cuts a character in half', async () => {
  const [problem] = await problemsOf(`websites:\n  - "${'💩'.repeat(100)}/${'💩'.repeat(200)}"\n`);
  expect(problem?.message).toMatch(/^"(?:💩){80}…" is not a domain: /u);
  expect(problem?.excerpt?.text).toBe(`  - "${'💩'.repeat(97)}…`);
});

test.each([
  [
    'in a list',
    {
      'websites.yaml': 'websites: [{ from: list.txt }]\n',
      'list.txt': 'a.example password hunter2\nb.example pw=hunter2\nc.example "token": "hunter2"\n',
    },
  ],
  [
    'in YAML',
    {
      'websites.yaml': records(
        'a.example password hunter2',
        '"b.example pw: hunter2"',
        '{ domain: c.example, privacy: x } # secret hunter2',
      ),
    },
  ],
  [
    'in a table',
    {
      'websites.yaml': 'websites: [{ from: list.csv }]\n',
      'list.csv': 'domain\na.example password hunter2\n',
    },
  ],
])('an error does not quote a value next to a word such as "password" %s', async (_, files) => {
  const problems = await problemsOf(files);
  expect(problems.length).toBeGreaterThan(0);
  expect(JSON.stringify(problems)).not.toContain('hunter2');
});

test('an error quotes a password reference, and a domain that begins with "password"', async () => {
  const text = records('{ domain: password-shop.example, password: { env: X }, privacy: x }');
  const [problem] = await problemsOf(text);
  expect(problem?.excerpt?.text).toContain('password: { env: X }, privacy: x }');
});
