import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runBuilt } from '../support/built.ts';
import { testFolder } from '../support/cli.ts';
import { scripted } from '../support/scripted-service.ts';

const CI = {
  GITLAB_CI: 'true',
  GITLAB_USER_LOGIN: 'ada',
  CI_COMMIT_SHA: '0123456789abcdef',
  CI_JOB_URL: 'https://gitlab.example/-/jobs/1',
};
const MADE_BY = { actor: 'ada', commit: '0123456789abcdef', url: 'https://gitlab.example/-/jobs/1' };

/** A run that created one website, updated one, and failed to create a third. */
async function afterRun() {
  const service = await scripted({ records: [{ domain: 'old.example', email: 1 }] });
  service.faults = ({ method, body }) =>
    method === 'POST' && body.includes('bad.example')
      ? { kind: 'status', status: 422, when: 'before' }
      : undefined;
  const folder = await testFolder({
    'websites.yaml':
      'websites:\n- { domain: new.example, privacy: password, password: { env: SHOP } }\n- { domain: old.example, email: false }\n- bad.example\n',
  });
  const options = { cwd: folder, env: { ...service.env, ...CI, SHOP: 'do-not-print' } };
  const run = (...args: string[]) => runBuilt(args, options);
  expect((await run('apply', '--auto-approve')).code).toBe(4);
  const [name = ''] = await readdir(join(folder, '.websites/runs'));
  return { run, folder, id: name.replace('.ndjson', '') };
}

test('runs RUN prints each change with its outcome as JSON and as events', async () => {
  const { run, id } = await afterRun();
  const shown = await run('runs', id, '--format', 'json');
  const document = JSON.parse(shown.stdout);
  expect(document).toMatchObject({
    format: 'websites.run/1',
    run: id,
    made_by: MADE_BY,
    summary: { created: 1, updated: 1, failed: 1 },
    finished: true,
    side_effects: [],
  });
  const byDomain = new Map(document.changes.map((change: { domain: string }) => [change.domain, change]));
  expect(byDomain.get('new.example')).toMatchObject({ action: 'create', outcome: 'done', id: '2' });
  expect(byDomain.get('old.example')).toMatchObject({
    action: 'update',
    outcome: 'done',
    id: '1',
    fields: { email: { before: true, after: false } },
  });
  expect(byDomain.get('bad.example')).toMatchObject({
    outcome: 'failed',
    message: expect.stringContaining('422'),
  });

  const events = await run('runs', id, '--format', 'ndjson');
  const [version, header, ...changes] = events.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(version).toEqual({ type: 'version', format: 'websites.event/1' });
  const { changes: listed, format: _, ...rest } = document;
  expect(header).toEqual({ type: 'recorded_run', ...rest });
  expect(changes).toEqual(listed.map((change: object) => ({ type: 'recorded_change', ...change })));
  expect(shown.printed + events.printed).not.toContain('do-not-print');
});

test('runs RUN prints each record, its values, and who made the run', async () => {
  const { run, id } = await afterRun();
  const { stdout, code } = await run('runs', id);
  expect(code).toBe(0);
  expect(stdout).toContain('ada, commit 0123456789abcdef, https://gitlab.example/-/jobs/1');
  expect(stdout).toMatch(
    /^\+ created {2}new\.example {2}#2 +websites\.yaml:2\n +privacy +password\n +password +\(sensitive\)$/m,
  );
  expect(stdout).toMatch(/^~ updated {2}old\.example {2}#1 .*\n +email +true → false$/m);
  expect(stdout).toMatch(/^! create failed {2}bad\.example .*\n.*422/m);
  expect(stdout).not.toContain('do-not-print');
  expect((await run('runs')).stdout).toMatch(
    /1 created, 1 updated, 0 deleted, 1 failed {2}- +ada, commit 01234567$/m,
  );
});

test('runs RUN separates changes that were sent without a response from those never sent', async () => {
  const { run, folder, id } = await afterRun();
  const path = join(folder, '.websites/runs', `${id}.ndjson`);
  const lines = (await readFile(path, 'utf8')).split('\n');
  const last = lines.findLastIndex((line) => line.includes('"entry":"begun"'));
  const cut = lines.slice(0, last + 1).filter((line, index) => index < 2 || line.includes('"entry":"begun"'));
  await writeFile(path, `${cut.join('\n')}\n`);
  const { changes, ...rest } = JSON.parse((await run('runs', id, '--format', 'json')).stdout);
  expect(rest).toMatchObject({ summary: null, converged: null, finished: false });
  expect(new Set(changes.map(({ outcome }: { outcome: string }) => outcome))).toEqual(new Set(['unknown']));
  await writeFile(path, `${lines.slice(0, 2).join('\n')}\n`);
  const none = JSON.parse((await run('runs', id, '--format', 'json')).stdout);
  expect(none.changes.map(({ outcome }: { outcome: string }) => outcome)).toEqual(
    Array(3).fill('not_attempted'),
  );
  expect((await run('runs', id)).stdout).toMatch(/^NOT APPLIED +up to 3 changes$/m);
});

test('runs RUN marks changes that an earlier run of the same plan file made', async () => {
  const service = await scripted();
  const folder = await testFolder({ 'websites.yaml': 'websites: [a.example, b.example, c.example]\n' });
  const options = { cwd: folder, env: { ...service.env } };
  service.faults = ({ method, body }) =>
    method === 'POST' && !body.includes('a.example')
      ? { kind: 'status', status: 403, when: 'before' }
      : undefined;
  await runBuilt(['plan', '--out', 'plan.json'], options);
  await runBuilt(['apply', 'plan.json', '--parallelism', '1'], options);
  service.faults = undefined;
  expect((await runBuilt(['apply', 'plan.json'], options)).code).toBe(0);
  const [, name = ''] = (await readdir(join(folder, '.websites/runs'))).sort();
  const shown = await runBuilt(['runs', name.replace('.ndjson', ''), '--format', 'json'], options);
  const { changes, continues } = JSON.parse(shown.stdout);
  expect(continues).not.toBeNull();
  expect(changes.filter(({ earlier }: { earlier?: true }) => earlier)).toMatchObject([
    { domain: 'a.example', outcome: 'done', id: '1' },
  ]);
});

test.each(['human', 'json', 'ndjson'])(
  'runs --format %s exits with 0 if there are no runs, and with 1 for an unknown run',
  async (format) => {
    const folder = await testFolder({ 'websites.yaml': 'websites: []\n' });
    expect((await runBuilt(['runs', '--format', format], { cwd: folder })).code).toBe(0);
    const missing = await runBuilt(['runs', '20260131T090000.000Z-1a2b3c', '--format', format], {
      cwd: folder,
    });
    expect(missing.code).toBe(1);
    if (format !== 'human') expect(missing.stdout).toContain('"run-missing"');
  },
);

test('a saved plan contains who made it, and show prints that', async () => {
  const service = await scripted();
  const folder = await testFolder({ 'websites.yaml': 'websites: [a.example]\n' });
  const options = { cwd: folder, env: { ...service.env, ...CI } };
  expect((await runBuilt(['plan', '--out', 'plan.json'], options)).code).toBe(0);
  const plan = JSON.parse(await readFile(join(folder, 'plan.json'), 'utf8'));
  expect(plan.made_by).toEqual(MADE_BY);
  const shown = await runBuilt(['show', 'plan.json'], options);
  expect(shown).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Made at .* by ada, commit 0123/) });
  const applied = await runBuilt(['apply', 'plan.json'], { cwd: folder, env: service.env });
  expect(applied.code).toBe(0);
  const { runs } = JSON.parse((await runBuilt(['runs', '--format', 'json'], options)).stdout);
  // The run names who applied the plan, not who made it.
  expect(runs[0].made_by.actor).not.toBe('ada');
});
