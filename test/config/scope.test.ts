/** The scope of files: `scope` at the top, or of a target. */
import { expect, test } from 'vitest';
import { lines, load, problemsOf } from './support.ts';

const TARGETS = `scope: [a.example]
targets:
  one: { base_url: local, scope: ["*.b.example"] }
  two: { base_url: local }
`;

test('a website outside of all scopes is an error at its location', async () => {
  const files = {
    'a.yaml': 'scope: [a.example, "*.a.example"]\nwebsites: [a.example, x.a.example, b.example]\n',
    'b.yaml': 'websites:\n  - { domain: b.example.org, state: absent }\n  - c.example\n',
    'c.yaml': 'scope: [C.example.]\n',
  };
  expect(lines(await problemsOf(files))).toEqual([
    'a.yaml:2:36 b.example is outside of the scope (a.example, *.a.example, C.example.)',
    'b.yaml:2:15 b.example.org is outside of the scope (a.example, *.a.example, C.example.)',
  ]);
});

test('the scope of a target replaces the shared scope', async () => {
  const websites = (domain: string): string => `${TARGETS}websites: [${domain}]\n`;
  expect((await load(websites('x.b.example'), { target: 'one' })).desired.scope).toEqual(['*.b.example']);
  expect((await load(websites('a.example'), { target: 'two' })).desired.scope).toEqual(['a.example']);
  expect(lines(await problemsOf(websites('a.example'), { target: 'one' }))).toEqual([
    '5:12 a.example is outside of the scope (*.b.example)',
  ]);
});

test.each([
  ['scope: []', '1:8 scope must have at least one pattern'],
  ['scope: a.example', '1:8 scope must be a list'],
  ['scope: null', '1:8 scope must be a list'],
  ['scope: [a.example, "a b"]', '1:20 scope: "a b" is not a valid domain pattern: it contains white space'],
  ['prune: deleted', '1:8 prune must be true, false or removed'],
])('an invalid scope or prune value is an error: %s', async (line, problem) => {
  expect(lines(await problemsOf(`${line}\nwebsites: [b.example]\n`)).slice(0, 1)).toEqual([problem]);
});

test('prune can have the value "removed"', async () => {
  expect((await load('prune: removed\nwebsites: []\n')).prune).toBe('removed');
});
