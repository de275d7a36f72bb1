import { expect, test } from 'vitest';
import { WebsitesError } from '../../../src/model/errors.ts';
import type { Plan } from '../../../src/model/plan.ts';
import { parsePlan } from '../../../src/planner/plan-file/parse.ts';
import { planDigest } from '../../../src/planner/plan-file/write.ts';
import { sha256 } from '../../../src/util/node/sha256.ts';
import { planFor, shown, wanted } from '../../support/plans.ts';

const plan = planFor({
  desired: {
    websites: [
      wanted('new.com', {
        privacy: 2,
        password: { env: 'A' },
        favorited_at: true,
        exclude_ips: ['192.0.2.1'],
      }),
      wanted('changed.com', { email: true, password: null, exclude_params: [] }),
    ],
  },
  current: {
    websites: [
      shown(
        'changed.com',
        1,
        { email: false, exclude_params: ['a'], favorited_at: null },
        { passwordSet: true },
      ),
      shown('old.com', 2, { privacy: 7 }),
    ],
  },
  options: { prune: true, www: 'distinct', allow: { empty: false, deletes: 5 } },
  requestsPerSecond: 2,
});

type Edit = (copy: Record<string, unknown>) => unknown;

/** The plan as a file, edited, with a digest that fits again. */
function sealed(edit: Edit): string {
  const copy = JSON.parse(JSON.stringify(plan));
  edit(copy);
  return JSON.stringify({ ...copy, digest: planDigest(copy as Plan, sha256) });
}

/** The fields of the first change. */
const firstFields = (copy: Record<string, unknown>): object =>
  (copy.changes as { fields: object }[])[0]?.fields ?? {};

function refusalOf(json: string): WebsitesError {
  try {
    parsePlan(json, 'plan.json', sha256);
  } catch (error) {
    if (error instanceof WebsitesError) return error;
    throw error;
  }
  throw new Error('it was taken');
}

test.each(['websites: [a.example]', '{"websites": ["a.example"]}'])(
  'reading a YAML file as a saved plan is an error that mentions -f (%s)',
  (text) => {
    expect(refusalOf(text).remedy).toBe(
      'Pass a file that "websites plan --out" wrote. YAML files are passed with -f.',
    );
  },
);

test('a saved plan is read back unchanged', () => {
  expect(parsePlan(JSON.stringify(plan), 'plan.json', sha256)).toEqual(plan);
  expect(parsePlan(JSON.stringify(plan, null, 2), 'plan.json', sha256)).toEqual(plan);
});

const GUARDS = ['empty', 'deletes', 'updates', 'duplicates', 'protected', 'incomplete', 'drift'];

test.each<[string, Record<string, unknown>]>([
  ...GUARDS.map((code): [string, Record<string, unknown>] => [
    `the guard ${code}`,
    { guards: [{ code, message: 'm', remedy: 'r', approved: false }] },
  ]),
  ...[{ www: 'same' }, { update: 'changed' }, { only: 'config' }, { only: 'drift' }].map(
    (options): [string, Record<string, unknown>] => [
      JSON.stringify(options),
      { options: { ...plan.options, ...options } },
    ],
  ),
])('a saved plan with %s is read back unchanged', (_, part) => {
  const text = sealed((copy) => Object.assign(copy, part));
  expect(parsePlan(text, 'plan.json', sha256)).toMatchObject(part);
});

test('a saved plan with changes of every kind is read back unchanged', () => {
  const [create, , remove] = JSON.parse(JSON.stringify(plan.changes));
  const changes = [
    ...['config', 'drift', 'both'].map((origin) => ({ ...create, origin })),
    ...[{ file: 'secrets/a' }, { yaml: 'a.yaml:1:2' }].map((ref) => ({
      ...create,
      fields: { favorited_at: { after: '2026-01-31T09:00:00Z' }, password: { sensitive: true, ref } },
    })),
    ...['prune', 'absent', 'undo'].map((cause) => ({ ...remove, cause })),
  ];
  const options = { ...plan.options, undoes: '20260131T090000.000Z-1a2b3c' };
  const text = sealed((copy) => Object.assign(copy, { changes, options }));
  expect(parsePlan(text, 'plan.json', sha256)).toMatchObject({ changes, options });
});

test('a saved plan of a target is read back with the name of the target', () => {
  const whole = planFor({});
  const rest = { ...whole, service: { ...whole.service, target: 'staging-2' } };
  const named = { ...rest, digest: planDigest(rest, sha256) };
  expect(parsePlan(JSON.stringify(named), 'plan.json', sha256)).toEqual(named);
});

test.each<[string, Edit, string]>([
  ...['../../etc', 'staging/../../etc'].map((target): [string, Edit, string] => [
    `the target ${target}, which is a path,`,
    (copy) => Object.assign(copy.service as object, { target }),
    'unexpected value at service.target',
  ]),
  [
    'an invalid expiry time',
    (copy) => Object.assign(copy, { expires_at: 'never' }),
    'unexpected value at expires_at',
  ],
  [
    'an invalid run to undo',
    (copy) => Object.assign(copy.options as object, { undoes: '../../etc' }),
    'unexpected value at options.undoes',
  ],
])('reading a saved plan with %s is an error', (_, edit, message) => {
  expect(refusalOf(sealed(edit))).toMatchObject({
    code: 'plan-invalid',
    message: expect.stringContaining(message),
  });
});

test('a saved plan keeps unknown keys of a later version', () => {
  const json = sealed((copy) => {
    copy.signed_by = 'somebody';
  });
  expect(parsePlan(json, 'plan.json', sha256)).toHaveProperty('signed_by', 'somebody');
});

const whole = JSON.stringify(plan);

test.each<[string, string, string]>([
  ['empty', '', 'not valid JSON'],
  ['cut off', whole.slice(0, whole.length / 2), 'not valid JSON'],
  ['a text', '"websites.plan/1"', 'not valid JSON'],
  ['null', 'null', 'not valid JSON'],
  ['a list', '[]', 'not a plan file'],
  ['another document', '{"format":"websites.result/1"}', 'not a plan file'],
  [
    'a later version',
    whole.replace('websites.plan/1', 'websites.plan/2'),
    'this program reads websites.plan/1',
  ],
  ['edited', whole.replace('new.com', 'evil.com'), 'edited'],
  ['edited in its approvals', whole.replace('"deletes":5', '"deletes":5000'), 'edited'],
  ['without a digest', whole.replace(/,"digest":"[0-9a-f]{64}"\}$/, '}'), 'edited'],
  ['with an invalid digest', whole.replace(/"digest":"[0-9a-f]{64}"\}$/, '"digest":null}'), 'edited'],
  [
    'nested too deep',
    `{"format":"websites.plan/1","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
    'not valid JSON',
  ],
])('reading a saved plan is an error if it is %s', (_, json, reason) => {
  const error = refusalOf(json);
  expect(error.code).toBe('plan-invalid');
  expect(error.message).toContain(`plan.json`);
  expect(error.message).toContain(reason);
  expect(error.remedy).toMatch(/./);
});

test.each<[string, Edit, string]>([
  ['no changes', (copy) => delete copy.changes, 'changes'],
  ['an unknown action', (copy) => Object.assign(copy, { changes: [{ action: 'rename' }] }), 'changes.0'],
  ...[0, 1, 2].map((index): [string, Edit, string] => [
    `a change without its domain: the ${plan.changes[index]?.action}`,
    (copy) => delete (copy.changes as { domain?: string }[])[index]?.domain,
    `changes.${index}.domain`,
  ]),
  [
    'an unknown field',
    (copy) => Object.assign(firstFields(copy), { owner: { after: 1 } }),
    'changes.0.fields',
  ],
  [
    'a password in plain text',
    (copy) => Object.assign(firstFields(copy), { password: { after: 'hunter2' } }),
    'changes.0.fields',
  ],
  ...['..', '.', '', 'a b', '1\n2'].map((id): [string, Edit, string] => [
    `an ID that is not safe in a path: ${JSON.stringify(id)}`,
    (copy) => Object.assign((copy.changes as object[])[1] ?? {}, { id }),
    'changes.1.id',
  ]),
  [
    'an invalid approval',
    (copy) => Object.assign(copy.options as object, { allow: { empty: false, deletes: -1 } }),
    'options.allow',
  ],
  ['invalid guards', (copy) => Object.assign(copy, { guards: {} }), 'guards'],
])('a modified plan with a recomputed digest is an error: %s', (_, edit, where) => {
  const error = refusalOf(sealed(edit));
  expect(error.message).toContain(where);
  expect(error.message).not.toContain('hunter2');
});
