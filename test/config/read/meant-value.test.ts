// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${…} is the syntax of references
import { describe, expect, test } from 'vitest';
import type { Problem } from '../../../src/model/errors.ts';
import { lines, type Options, problemsOf } from '../support.ts';

const record = (entries: string): string => `websites:\n  - { domain: a.example, ${entries} }\n`;
const remedies = (problems: readonly Problem[]) => problems.map(({ remedy }) => remedy);

/** The problems of records from the file `name`. */
const ofBulk = (name: string, text: string) =>
  problemsOf(
    { 'websites.yaml': `websites: { from: ${name} }\n`, [name]: text },
    { patterns: ['websites.yaml'] },
  );

describe('a value that is almost right', () => {
  test.each([
    ['privacy: pubic', 'Did you mean public?'],
    ['privacy: Private', 'Did you mean private?'],
    ['privacy: passwort', 'Did you mean password?'],
    ['privacy: hidden', 'Did you mean private?'],
    ['privacy: "1"', 'Write 1, without quotes.'],
    ['privacy: [public]', 'Write it without brackets.'],
    ['state: deleted', 'Did you mean absent?'],
    ['state: removed', 'Did you mean absent?'],
    ['state: abscent', 'Did you mean absent?'],
    ['state: exists', 'Did you mean present?'],
    ['email: ture', 'Did you mean true?'],
    ['email: me@a.example', 'Write true or false: it only turns reports on or off.'],
    ['exclude_bots: flase', 'Did you mean false?'],
    ['exclude_ips: 1.2.3.4', 'Write [1.2.3.4].'],
    ['exclude_ips: "1.2.3.4, 2001:db8::1"', 'Write [1.2.3.4, "2001:db8::1"].'],
    ['exclude_ips: ["1.2.3.4 1.2.3.5"]', 'Write each one as an item of its own.'],
    ['exclude_params: utm_source', 'Write [utm_source].'],
    ['exclude_params: utm_source;ref', 'Write [utm_source, ref].'],
    ['exclude_params: 5', 'Write ["5"].'],
    ['exclude_params: [5]', 'Put it in quotes.'],
    ['favorited_at: true', 'Write favorite: true.'],
    ['favorited_at: on', 'Write favorite: on.'],
    ['favorite: 2026-01-31', 'Write favorited_at: 2026-01-31.'],
    ['favorite: ture', 'Did you mean true?'],
    ['protect: ture', 'Did you mean true?'],
    ['privacy: password, password: 12345', 'Put it in quotes, or use { env: NAME }.'],
  ])('%s: %s', async (entries, remedy) => {
    expect(remedies(await problemsOf(record(entries)))).toEqual([remedy]);
  });

  test.each([
    ['version: v1', 'Write version: 1.'],
    ['prune: ture', 'Did you mean true?'],
    ['ignore: a.example', 'Write [a.example].'],
    ['protected: "*.a.example"', 'Write ["*.a.example"].'],
    ['service: { update: patch }', 'Did you mean changed?'],
    ['service: { www: distinkt }', 'Did you mean distinct?'],
    ['service: { favourite: favorite }', 'Did you mean favorite?'],
    ['targets: { a: { files: staging/ } }', 'Write [staging/].'],
    ['targets: { a: { api_key: "env:KEY" } }', 'Write { env: NAME }.'],
    ['targets: { a: { api_key: "${KEY}" } }', 'Write { env: KEY }.'],
  ])('%s: %s', async (text, remedy) => {
    expect(remedies(await problemsOf(`${text}\n`, { target: 'a' }))).toEqual([remedy]);
  });

  test.each([
    ['a.csv', 'domain,privacy,state\na.example,pubic,\n', 'Did you mean public?'],
    ['a.csv', 'domain,state\na.example,deleted\n', 'Did you mean absent?'],
    ['a.ndjson', '{"domain":"a.example","exclude_ips":5}\n', undefined],
    ['a.ndjson', '{"domain":"a.example","email":"ture"}\n', 'Did you mean true?'],
    ['a.csv', 'domain,visibility\na.example,\n', 'Did you mean privacy?'],
    ['a.csv', 'domain,url\na.example,\n', expect.stringContaining('The columns are ')],
  ])('of a bulk file: %s %j', async (name, text, remedy) => {
    expect(remedies(await ofBulk(name, text))).toEqual([remedy]);
  });

  test.each<[string, Options]>([
    ['privacy: "${P}"', { env: { P: 'pubic' } }],
    ['exclude_ips: "${P}"', { env: { P: '1.2.3.4' } }],
  ])('says nothing of what a variable put in: %s', async (entries, options) => {
    expect(remedies(await problemsOf(record(entries), options))).toEqual([undefined]);
  });

  test('a remedy shows no more of an address than a message', async () => {
    const text = record('exclude_params: "https://me:hunter2@a.example/?key=swordfish"');
    expect(JSON.stringify(await problemsOf(text))).not.toMatch(/hunter2|swordfish/);
  });
});

describe('a key by another name, or in another place', () => {
  test.each([
    ['websites: [{ name: a.example }]', 'Did you mean domain?'],
    ['websites: [{ url: a.example, email: true }]', 'Did you mean domain?'],
    ['websites: [{ hostname: a.example }]', 'Did you mean domain?'],
    [record('visibility: public'), 'Did you mean privacy?'],
    [record('exclude_ip: [1.2.3.4]'), 'Did you mean exclude_ips?'],
    [record('exclude_parameters: [a]'), 'Did you mean exclude_params?'],
    [record('favourite: true'), 'Did you mean favorite?'],
    [record('prune: true'), 'Put it at the top of the file.'],
    ['sites: []', 'Did you mean websites?'],
    ['default: {}', 'Did you mean defaults?'],
    ['privacy: private', 'Put it in a record, or under defaults.'],
    ['base_url: local', 'Put it under service.'],
    ['service: { url: local }', 'Did you mean base_url?'],
    ['defaults: { state: present }', 'Put it in a record under websites.'],
    ['targets: { a: { token: { env: T } } }', 'Did you mean api_key?'],
  ])('%s: %s', async (text, remedy) => {
    expect(remedies(await problemsOf(`${text}\n`, { target: 'a' }))).toEqual([remedy]);
  });

  test('a key that is present is not suggested', async () => {
    const [remedy] = remedies(await problemsOf(record('url: b.example')));
    expect(remedy).toMatch(/^The keys here are domain, /);
  });
});

describe('a space that is missing after a colon', () => {
  test.each([
    ['websites:\n  - domain:a.example\n', '2:5', 'domain'],
    ['websites: [{ domain:a.example }]\n', '1:14', 'domain'],
    [record('email:true'), '2:26', 'email'],
    [record('password:hunter2'), '2:26', 'password'],
    ['websites:[a.example]\n', '1:1', 'websites'],
    ['service: { www:same }\n', '1:12', 'www'],
  ])('%j', async (text, place, key) => {
    const problems = await problemsOf(text);
    expect(lines(problems)).toEqual([`${place} a space is missing after the colon of ${key}`]);
    expect(remedies(problems)).toEqual([`Write "${key}: …".`]);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });
});
