/** Names that every JavaScript object inherits are names like any other. */
import { describe, expect, test } from 'vitest';
import { lines, load, problemsOf } from './support.ts';

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'];

describe.each(NAMES)('%s', (name) => {
  const domain = name.toLowerCase();

  test('a domain can be named like a built-in JavaScript property, in each kind of file', async () => {
    const lists = {
      'a.txt': `${name}\n`,
      'a.csv': `domain,email\n${name},1\n`,
      'a.json': JSON.stringify([{ domain: name, email: true }]),
      'a.ndjson': `"${name}"\n{"domain": "${name}.example", "email": true}\n`,
    };
    for (const [file, text] of Object.entries(lists)) {
      const files = { 'websites.yaml': `websites: { from: ${file} }\n`, [file]: text };
      const { desired } = await load(files);
      expect(desired.websites[0]?.domain).toBe(domain);
    }
    const { desired } = await load(
      `ignore: [x-${name}]\nprotected: [${name}]\nwebsites:\n  - ${name}\n  - { domain: ${name}.example, exclude_params: [${name}] }\n`,
    );
    expect(desired.websites.map((website) => website.domain)).toEqual([domain, `${domain}.example`]);
    expect(desired.websites[1]?.settings).toEqual({ exclude_params: [name] });
    expect(desired.protected).toEqual([name]);
  });

  test('a key, column or value named like a built-in JavaScript property is an error', async () => {
    expect(lines(await problemsOf(`${name}: 1\nwebsites: [{ domain: a.example, ${name}: 1 }]\n`))).toEqual([
      `1:1 unknown key ${name}`,
      `2:33 unknown key ${name}`,
    ]);
    const table = {
      'websites.yaml': 'websites: { from: a.csv }\n',
      'a.csv': `domain,${name}\na.example,1\n`,
    };
    expect(lines(await problemsOf(table))).toEqual([`a.csv:1:8 unknown column "${name}"`]);
    const list = {
      'websites.yaml': 'websites: { from: a.json }\n',
      'a.json': `[{"domain": "a.example", "${name}": 1}]`,
    };
    expect(lines(await problemsOf(list))).toEqual([`a.json:1:26 unknown column "${name}"`]);
    expect(lines(await problemsOf(`websites: [{ domain: a.example, privacy: ${name} }]\n`))).toEqual([
      '1:42 privacy must be public, private, password or a number (0, 1, 2)',
    ]);
  });

  test('a variable named like a built-in JavaScript property exists only if it is set', async () => {
    const text = `websites:\n  - { domain: a.example, privacy: password, password: { env: ${name} } }\n`;
    const resolved = async (env: Record<string, string>) => {
      const { desired, resolveSecret } = await load(text, { env });
      const password = desired.websites[0]?.settings.password as { env: string };
      return (await resolveSecret(password)).reveal();
    };
    await expect(resolved({})).rejects.toMatchObject({ code: 'secret-missing' });
    expect(await resolved(Object.fromEntries([[name, 'x']]))).toBe('x');
  });
});

test('a target can have the name constructor', async () => {
  const { pins } = await load('targets: { constructor: { base_url: local } }\n', { target: 'constructor' });
  expect(pins).toMatchObject({ base_url: 'local', target: { name: 'constructor' } });
});
