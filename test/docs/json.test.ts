/** The page of machine formats names every key of a document, and no other. */
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { planJson } from '../report/render.ts';
import { THREE } from '../report/situations.ts';
import { HAS_JQ } from '../support/github/repository.ts';
import { changeWith, DOCUMENTS, EVENTS, type Tree, treeOf } from '../support/json-documents.ts';
import { blocksOf, read } from './pages.ts';

const PAGE = read('docs/json.md');

/** Paths of all keys as the page writes them, down to a value, a place, or a change. */
function pathsOf(tree: Tree, path = ''): string[] {
  const { anyOf, oneOf = anyOf, items, properties, additionalProperties: others } = tree;
  const isPlace = properties?.line !== undefined;
  const isValue = oneOf?.some(({ type }) => /boolean|number|string/.test(type ?? ''));
  if (isPlace || isValue || path.endsWith('.ref') || path === 'changes[]') return [path];
  if (oneOf) return oneOf.flatMap((one) => (one.type === 'null' ? [] : pathsOf(one, path)));
  if (items) return pathsOf(items, `${path}[]`);
  if (typeof others === 'object') return pathsOf(others, `${path}.NAME`);
  if (properties === undefined) return [path];
  return Object.entries(properties).flatMap(([key, one]) =>
    pathsOf(one, path === '' ? key : `${path}.${key}`),
  );
}

function listed(name: string): string[] {
  const [, table = ''] = PAGE.split(`| key of \`${name}\` | description |\n|---|---|\n`);
  const [rows = ''] = table.split('\n\n');
  return rows.split('\n').flatMap((row) => spansOf(row.split(' | ')[0] ?? ''));
}

function spansOf(text: string): string[] {
  return Array.from(text.matchAll(/`([^`]+)`/g), ([, span = '']) => span);
}

const sorted = (paths: readonly string[]): string[] => [...new Set(paths)].toSorted();

test.each(Object.entries(DOCUMENTS))('docs/json.md lists exactly the keys of %s', (name, schema) => {
  expect(sorted(listed(name))).toEqual(sorted(pathsOf(treeOf(schema))));
});

test('docs/json.md lists exactly the keys of a change', () => {
  expect(sorted(listed('changes[]'))).toEqual(sorted(pathsOf(treeOf(changeWith({})))));
});

const section = PAGE.split(/^## /m).find((part) => part.startsWith('Events\n')) ?? '';
const rows = Array.from(section.matchAll(/^\| `(\w+)` \| [^|]* \|(.*)\|$/gm), ([, type = '', keys = '']) => ({
  type,
  keys: spansOf(keys),
}));

test('docs/json.md has a row for every event type', () => {
  expect(sorted(rows.map(({ type }) => type))).toEqual(sorted(Object.keys(EVENTS)));
});

test.each([
  'run_started',
  'stopping',
  'canary_started',
  'canary_verified',
  'verify_started',
  'verify_waiting',
  'run_ended',
])('docs/json.md lists exactly the keys of the event %s', (type) => {
  const { type: _, ...keys } = treeOf(EVENTS[type]).properties ?? {};
  expect(rows.find((row) => row.type === type)?.keys).toEqual(Object.keys(keys));
});

test.runIf(HAS_JQ)('each jq example in docs/json.md prints a result', () => {
  const lines = blocksOf(PAGE).flatMap(({ body }) =>
    body.split('\n').filter((line) => line.startsWith('jq ')),
  );
  expect(lines).not.toEqual([]);
  for (const line of lines) {
    const command = line.replace('checked.json', '-');
    const { stdout, status } = spawnSync('sh', ['-c', command], { input: planJson(THREE), encoding: 'utf8' });
    expect({ line, status, isEmpty: stdout === '' }).toEqual({ line, status: 0, isEmpty: false });
  }
});
