// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} is the syntax under test
import { expect, test } from 'vitest';
import { substitute } from '../../src/config/secrets/substitute.ts';
import { lines, load, problemsOf } from './support.ts';

const env = {
  NAME: 'a.example',
  EMPTY: '',
  NUMBER: '1',
  YES: 'true',
  HOST: 'https://analytics.example.com',
  P: 'hunter2',
};

const BRACE = 'this value has a brace next to its reference, or a reference without a closing }';

const variables = { env, secretNames: new Set<string>() };

test.each([
  ['${NAME}', 'a.example'],
  ['www.${NAME}.', 'www.a.example.'],
  ['${NAME}${NUMBER}', 'a.example1'],
  ['${NONE:-b.example}', 'b.example'],
  ['${EMPTY:-b.example}', 'b.example'],
  ['${NAME:-b.example}', 'a.example'],
  ['${NONE:-}', ''],
  ['${NONE:-a:-b}', 'a:-b'],
  ['${EMPTY}', ''],
  ['$${NAME}', '${NAME}'],
  ['$NAME $$ $', '$NAME $$ $'],
  ['$${NAME', '${NAME'],
  ['$${NAME}-{}', '${NAME}-{}'],
  ['a}b}', 'a}b}'],
])('the text %s with variables becomes %j', (text, expected) => {
  expect(substitute(text, variables)).toBe(expected);
});

test.each([
  ['${NONE}', 'the environment variable NONE is not set'],
  ['${__proto__}', 'the environment variable __proto__ is not set'],
  ['${NAME', BRACE],
  ['${}', 'this is not the name of an environment variable'],
  ['${1A}', 'this is not the name of an environment variable'],
  ['${A-b}', 'this is not the name of an environment variable'],
  [
    '${WEBSITES_API_KEY}',
    'WEBSITES_API_KEY cannot be used in a file: names that start with WEBSITES_ are reserved',
  ],
  [
    '${websites_api_key:-x}',
    'websites_api_key cannot be used in a file: names that start with WEBSITES_ are reserved',
  ],
  ['${NONE:-${NAME}}', BRACE],
  ['${NAME:-${NONE}}', BRACE],
  ['${NAME:-x${NONE:-y}}', BRACE],
  ['${A${NAME}}', BRACE],
  ['${${NAME}}', BRACE],
  ['${NONE:-$${NAME}}', BRACE],
  ['${NONE:-${NAME}', BRACE],
  ['${NONE:-{x}}', BRACE],
  ['${NAME:-{}', BRACE],
  ['${NONE:-x}}', BRACE],
  ['${NAME}}', BRACE],
  ['${NONE:-pa}ss}', BRACE],
  ['{${NAME}}', BRACE],
  ['${NAME}-$${NUMBER}', BRACE],
])('the variable syntax %s is an error', (text, message) => {
  expect(substitute(text, variables)).toMatchObject({ message });
});

test('a variable can be used in every kind of value', async () => {
  const { desired, pins, prune } = await load(
    `service: { base_url: "\${HOST}", www: "\${NONE:-same}" }
prune: "\${YES}"
defaults: { privacy: "\${NUMBER}" }
ignore: ["\${NAME}x"]
websites:
  - \${NAME}
  - domain: "b.\${NAME}"
    email: \${NONE:-0}
    exclude_params: ["\${NUMBER}", plain, "$\${x}"]
    exclude_ips: ["192.0.2.\${NUMBER}"]
    favorited_at: "2026-01-\${NONE:-31}"
    protect: \${YES}
`,
    { env },
  );
  expect({ pins, prune }).toEqual({ pins: { base_url: env.HOST, www: 'same' }, prune: true });
  expect(desired.ignore).toEqual(['a.examplex']);
  expect(desired.websites[0]).toMatchObject({ domain: 'a.example', settings: { privacy: 1 } });
  expect(desired.websites[1]).toMatchObject({
    domain: 'b.a.example',
    protect: true,
    settings: {
      email: false,
      exclude_params: ['1', 'plain', '${x}'],
      exclude_ips: ['192.0.2.1'],
      favorited_at: '2026-01-31T00:00:00Z',
    },
  });
});

test('a malformed variable is reported at its location', async () => {
  const problems = await problemsOf(
    `websites:
  - "\${NONE:-\${NAME}}"
  - domain: b.example
    privacy: password
    password: "\${P:-\${Q}}"
    exclude_params: ["x-\${NUMBER:-pa}ss}"]
  - domain: c.example
    privacy: password
    password: { file: "\${DIR:-\${NAME}}/secret" }
  - domain: d.example
    privacy: password
    password: "\${P}}"
`,
    { env: { ...env, Q: 'swordfish' } },
  );
  expect(lines(problems)).toEqual([
    `2:6 ${BRACE}`,
    `5:16 ${BRACE}`,
    `6:25 ${BRACE}`,
    `9:24 ${BRACE}`,
    `12:16 ${BRACE}`,
  ]);
  expect(JSON.stringify(problems)).not.toMatch(/hunter2|swordfish/);
});

test('a string without a variable is not converted to a number or a time', async () => {
  expect(
    lines(await problemsOf('websites: [{ domain: a.example, privacy: "1", favorited_at: "1" }]\n')),
  ).toEqual([
    '1:42 privacy must be public, private, password or a number (0, 1, 2)',
    '1:61 favorited_at: "1" is not a time that exists, such as 2026-01-31T09:00:00',
  ]);
});

test('an unset variable is reported at its location, as the only error of its value', async () => {
  const problems = await problemsOf(
    `websites:
  - www.\${NONE}.example
  - domain: b.example
    privacy: \${NONE}
    password: { env: Q }
    exclude_ips: ["\${NONE}", 192.0.2.256, "\${NONE}"]
    exclude_params:
      - "\${ONE}-\${TWO}"
`,
    { env },
  );
  expect(lines(problems)).toEqual([
    '2:9 the environment variable NONE is not set',
    '4:14 the environment variable NONE is not set',
    '6:20 the environment variable NONE is not set',
    '6:44 the environment variable NONE is not set',
    '8:10 the environment variable ONE is not set',
  ]);
  expect(problems[0]?.excerpt).toEqual({ text: '  - www.${NONE}.example', length: 7 });
  expect(problems[0]?.remedy).toBe('Set it, or give it a default: ${NONE:-…}.');
});

test('a variable inside a password is secret, and several passwords can use it', async () => {
  const yaml = `websites:
  - { domain: a.example, privacy: password, password: "\${P}!" }
  - { domain: b.example, privacy: password, password: "b-\${P:-x}-\${R}" }
  - { domain: c.example, privacy: password, password: { env: P } }
`;
  const { desired, resolveSecret } = await load(yaml, { env: { ...env, R: 'r' } });
  const refs = desired.websites.map(({ settings }) => settings.password as { yaml: string });
  const values = await Promise.all(refs.map((ref) => resolveSecret(ref)));
  expect(values.map((value) => value.reveal())).toEqual(['hunter2!', 'b-hunter2-r', 'hunter2']);
  const problems = await problemsOf(
    `${yaml}  - { domain: d.example, exclude_params: ["\${P}", "\${R}"] }\n`,
    { env: { ...env, R: 'hunter2' } },
  );
  expect(lines(problems)).toEqual([
    '5:44 P is used for a secret, and cannot be used in other values',
    '5:52 R is used for a secret, and cannot be used in other values',
  ]);
  expect(JSON.stringify(problems)).not.toContain('hunter2');
});

test('the variable of a password cannot be used elsewhere, in any file', async () => {
  const problems = await problemsOf(
    {
      'a.yaml': 'websites:\n  - "${P}.example"\n  - "${p}.example"\n  - "${R}.example"\n  - "${S}.example"\n',
      'b.yaml':
        'websites: [{ domain: b.example, privacy: password, password: { env: P } }, { domain: c.example, privacy: password, password: { env: s } }]\n',
      'c.yaml': 'defaults: { privacy: private, password: "${R}" }\n',
    },
    { env: { ...env, p: 'hunter2', R: 'hunter2', S: 'hunter2' } },
  );
  expect(lines(problems)).toEqual([
    'a.yaml:2:6 P is used for a secret, and cannot be used in other values',
    'a.yaml:3:6 p is used for a secret, and cannot be used in other values',
    'a.yaml:4:6 R is used for a secret, and cannot be used in other values',
    'a.yaml:5:6 S is used for a secret, and cannot be used in other values',
  ]);
  expect(JSON.stringify(problems)).not.toContain('hunter2');
});
