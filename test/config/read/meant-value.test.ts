// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} is the syntax of references
import { expect, test } from 'vitest';
import type { Problem } from '../../../src/model/errors.ts';
import { lines, problemsOf } from '../support.ts';

const record = (entries: string): string => `websites:\n  - { domain: a.example, ${entries} }\n`;
const remedies = (problems: readonly Problem[]) => problems.map(({ remedy }) => remedy);

/** The problems of records from the file `name`. */
const ofBulk = (name: string, text: string) =>
  problemsOf({ 'websites.yaml': `websites: { from: ${name} }\n`, [name]: text });

test.each([
  ['privacy: pubic', 'Did you mean public?'],
  ['privacy: Private', 'Did you mean private?'],
  ['state: abscent', 'Did you mean absent?'],
  ['email: ture', 'Did you mean true?'],
  ['favorite: ture', 'Did you mean true?'],
  ['protect: ture', 'Did you mean true?'],
  // The message itself names the valid words.
  ['state: deleted', undefined],
  ['exclude_ips: 1.2.3.4', 'Write, for example, exclude_ips: [192.0.2.0/24, "2001:db8::1"].'],
  ['exclude_params: 5', 'Write, for example, exclude_params: [utm_source, utm_medium].'],
  ['favorited_at: true', 'Write, for example, favorited_at: 2026-01-31T09:00:00.'],
  ['privacy: password, password: 12345', 'Write, for example, password: { env: SHOP_PASSWORD }.'],
])('the remedy for the invalid setting "%s" is %s', async (entries, remedy) => {
  expect(remedies(await problemsOf(record(entries)))).toEqual([remedy]);
});

test.each([
  ['prune: ture', 'Did you mean true?'],
  ['ignore: a.example', 'Write, for example, ignore: ["*.internal.example"].'],
  ['service: { www: distinkt }', 'Did you mean distinct?'],
  ['service: { favourite: favorite }', 'Did you mean favorite?'],
  ['targets: { a: { api_key: "${KEY}" } }', 'Write, for example, api_key: { env: STAGING_KEY }.'],
])('an error about an almost valid top-level value has a remedy: %s: %s', async (text, remedy) => {
  expect(remedies(await problemsOf(`${text}\n`, { target: 'a' }))).toEqual([remedy]);
});

test.each([
  ['a.csv', 'domain,privacy,state\na.example,pubic,\n', 'Did you mean public?'],
  ['a.ndjson', '{"domain":"a.example","exclude_ips":5}\n', undefined],
  ['a.ndjson', '{"domain":"a.example","email":"ture"}\n', 'Did you mean true?'],
  ['a.csv', 'domain,url\na.example,\n', expect.stringContaining('Use one of ')],
])('an error about an almost valid value in a bulk file has a remedy: %s %j', async (name, text, remedy) => {
  expect(remedies(await ofBulk(name, text))).toEqual([remedy]);
});

test('an error about a value from a variable makes no suggestion that could show it', async () => {
  const problems = await problemsOf(record('privacy: "${P}"'), { env: { P: 'pubic' } });
  expect(remedies(problems)).toEqual([undefined]);
});

test('the remedy of an error does not show credentials or the query of a URL', async () => {
  const text = record('exclude_params: "https://me:hunter2@a.example/?key=swordfish"');
  expect(JSON.stringify(await problemsOf(text))).not.toMatch(/hunter2|swordfish/);
});

test.each([
  [record('exclude_ip: [1.2.3.4]'), 'Did you mean exclude_ips?'],
  [record('favourite: true'), 'Did you mean favorite?'],
  ['default: {}', 'Did you mean defaults?'],
  ['privacy: private', expect.stringMatching(/^Use one of version, /)],
  ['websites: [{ url: a.example }]', expect.stringMatching(/^Use one of domain, /)],
  [record('excludeBots: true'), 'Did you mean exclude_bots?'],
  [record('Privacy: 1'), 'Did you mean privacy?'],
  ['service: { api_key: x }', 'Remove it. Set the API key with WEBSITES_API_KEY or --api-key-file.'],
  ['targets: { a: {} }\nwebsites: [https://a.example/x]', 'Write a.example.'],
  [
    'websites:\n  - a.example\n    email: true',
    'Write "key: value", with a space. A record with settings begins with "- domain: ".',
  ],
])('an error about an unknown key or a misplaced value has a remedy: %s: %s', async (text, remedy) => {
  expect(remedies(await problemsOf(`${text}\n`, { target: 'a' }))).toEqual([remedy]);
});

test('an error about a mistyped key does not suggest a key that the record already has', async () => {
  const [remedy] = remedies(await problemsOf(record('privac: 1, privacy: 1')));
  expect(remedy).toMatch(/^Use one of domain, /);
});

test.each([
  ['websites:\n  - domain:a.example\n', '2:5 "domain:a.example" is not a domain: it contains ":"'],
  [record('email:true'), '2:26 unknown key "email:true"'],
  [record('password:hunter2'), '2:26 unknown key "password…"'],
  ['websites:\n  - password:hunter2\n', '2:5 "password…" is not a domain: it contains ":"'],
])('a key without a space after its colon is an error: %j', async (text, told) => {
  expect(lines(await problemsOf(text))).toEqual([told]);
});
