/** Checks examples/kubernetes, and runs its containers as processes, with directories as volumes. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { EXIT } from '../../src/model/errors.ts';
import { testFolder } from '../support/cli.ts';
import { runProcess } from '../support/process.ts';
import { git, scratchRepo } from '../support/scratch-repo.ts';
import { testService } from '../support/service.ts';
import { websitesBin } from '../support/websites-bin.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'examples/kubernetes');
const JOBS = ['apply.yaml', 'drift.yaml'];

/** Manifests are read without a type: the tests check their shapes. */
type Yaml = ReturnType<typeof parse>;

const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');
const cronJob = (file: string): Yaml => parse(read(file));
const podOf = ({ spec }: Yaml): Yaml => spec.jobTemplate.spec.template.spec;
const containersOf = ({ initContainers, containers }: Yaml): Yaml[] => [...initContainers, ...containers];
const kustomization: Yaml = parse(read('kustomization.yaml'));
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

test('kustomization.yaml lists every manifest and the image of this version', () => {
  const manifests = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));
  expect(kustomization.resources.toSorted()).toEqual(
    manifests.filter((name) => name !== 'kustomization.yaml').toSorted(),
  );
  expect(kustomization.images).toMatchObject([{ name: 'websites', newTag: version }]);
  expect(parse(read('namespace.yaml'))).toMatchObject({
    kind: 'Namespace',
    metadata: { name: kustomization.namespace },
  });
  const keys = kustomization.secretGenerator[0]?.files ?? [];
  expect(read('.gitignore')).toBe(keys.map((name: string) => `/${name}\n`).join(''));
});

test.each(JOBS)('%s runs one job at a time, with minimal permissions', (file) => {
  const job = cronJob(file);
  expect(job).toMatchObject({
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    spec: { schedule: expect.any(String), concurrencyPolicy: 'Forbid' },
  });
  const user = Number(/^USER (\d+):\1$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))?.[1]);
  expect(podOf(job)).toMatchObject({
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: user,
      fsGroup: user,
      seccompProfile: { type: 'RuntimeDefault' },
    },
  });
  for (const container of containersOf(podOf(job))) {
    expect(container).toMatchObject({
      image: 'websites',
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
      resources: { requests: { cpu: expect.anything() }, limits: { memory: expect.anything() } },
    });
  }
});

test.each(JOBS)('%s mounts only declared volumes, and has settings from the generated ConfigMap', (file) => {
  const pod = podOf(cronJob(file));
  const volumes = new Set(pod.volumes.map(({ name }: Yaml) => name));
  for (const { volumeMounts, envFrom } of containersOf(pod)) {
    for (const { name } of volumeMounts) expect(volumes).toContain(name);
    if (envFrom) expect(envFrom).toEqual([{ configMapRef: { name: 'websites-env' } }]);
  }
  const claim = parse(read('state.yaml'));
  const [claimed] = pod.volumes.flatMap(({ persistentVolumeClaim }: Yaml) => persistentVolumeClaim ?? []);
  if (claimed) expect(claimed.claimName).toBe(claim.metadata.name);
  const secrets = pod.volumes.flatMap(({ secret }: Yaml) => secret?.secretName ?? []);
  expect(secrets).toEqual(kustomization.secretGenerator.map(({ name }: Yaml) => name));
  expect(kustomization.configMapGenerator.map(({ name }: Yaml) => name)).toEqual(['websites-env']);
});

test('a drift job is not retried after exit codes 2, 3 and 5', () => {
  const rules = cronJob('drift.yaml').spec.jobTemplate.spec.podFailurePolicy?.rules ?? [];
  expect(rules.flatMap(({ onExitCodes }: Yaml) => onExitCodes ?? [])).toMatchObject([
    { containerName: 'drift', values: [EXIT.changes, EXIT.keyRefused, EXIT.guard] },
  ]);
});

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

test.skipIf(!hasKubectl)('kubectl kustomize builds all that the pods need, in one namespace', async () => {
  const folder = await testFolder({ 'api-key': 'k', 'deploy-key': 'k', 'known-hosts': 'k' });
  cpSync(FOLDER, folder, { recursive: true });
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const documents = parseAllDocuments(stdout).map((document) => document.toJS() as Yaml);
  expect(documents.map(({ kind }) => kind).toSorted()).toEqual([
    ...['ConfigMap', 'CronJob', 'CronJob', 'Namespace', 'PersistentVolumeClaim', 'Secret'],
  ]);
  const config = documents.find(({ kind }) => kind === 'ConfigMap')?.metadata.name;
  for (const document of documents) {
    if (document.kind !== 'Namespace') expect(document.metadata.namespace).toBe(kustomization.namespace);
    if (document.kind !== 'CronJob') continue;
    for (const { image, envFrom } of containersOf(podOf(document))) {
      expect(image).toBe(`registry.example.com/websites:${version}`);
      if (envFrom) expect(envFrom).toEqual([{ configMapRef: { name: config } }]);
    }
  }
});

const declares = (...domains: string[]): string => `prune: removed\nwebsites: ${JSON.stringify(domains)}\n`;

/** A service, a repository, and the volumes that outlive a job. */
async function setUp() {
  const root = await testFolder();
  const service = await testService();
  const repo = scratchRepo(root);
  for (const name of ['state', 'secrets']) mkdirSync(join(root, name));
  writeFileSync(join(root, 'secrets', 'api-key'), `${service.key}\n`, { mode: 0o600 });
  const settings = {
    PATH: [await websitesBin(root), process.env.PATH].join(delimiter),
    REPOSITORY: `file://${repo.work}`,
    BRANCH: 'main',
    WEBSITES_BASE_URL: service.url,
  };

  /** Runs the containers of a job as a cluster does: in order, until one fails. */
  async function runJob(file: string) {
    const checkout = mkdtempSync(join(root, 'repo-'));
    const local = (text: string): string =>
      text
        .replaceAll(/(?<![\w/])\/repo\b/g, checkout)
        .replaceAll(/(?<![\w/])\/(?:state|secrets)\b/g, (path) => join(root, path));
    let log = '';
    for (const { name, command, args = [], workingDir, env = [] } of containersOf(podOf(cronJob(file)))) {
      const [program = 'websites', ...words] = command?.map(local) ?? [];
      const own = Object.fromEntries(env.map((one: Yaml) => [one.name, local(one.value)]));
      const { code, text } = await runProcess(program === 'sh' ? 'bash' : program, [...words, ...args], {
        cwd: workingDir === undefined ? root : local(workingDir),
        env: { ...settings, ...own },
      });
      log += text;
      if (code !== 0) return { failed: name, code, log };
    }
    return { failed: undefined, code: 0, log };
  }

  return {
    ...repo,
    service,
    runJob,
    domains: async () => (await service.records()).map(({ domain }) => domain).toSorted(),
    /** Adds a record as another client. */
    add: async (domain: string) => {
      const headers = { authorization: `Bearer ${service.key}` };
      const body = new URLSearchParams({ domain });
      const path = `${service.url}/api/v1/websites`;
      expect((await fetch(path, { method: 'POST', headers, body })).status).toBeLessThan(300);
    },
    applied: () => readFileSync(join(root, 'state', 'applied-commit'), 'utf8').trim(),
  };
}

test('the CronJob deletes websites removed since its last apply, and none on its first run', async () => {
  const { runJob, commit, domains, add, applied } = await setUp();
  await add('foreign.example');
  await add('b.example');
  commit({ 'websites.yaml': declares('a.example', 'b.example') });
  const first = commit({ 'websites.yaml': declares('a.example') });
  expect(await runJob('drift.yaml')).toMatchObject({ failed: 'drift', code: 2 });
  expect(await runJob('apply.yaml')).toMatchObject({ code: 0 });
  expect(await domains()).toEqual(['a.example', 'b.example', 'foreign.example']);
  expect(applied()).toBe(first);
  expect(await runJob('drift.yaml')).toMatchObject({ code: 0, log: '' });

  const second = commit({ 'websites.yaml': declares('c.example') });
  expect(await runJob('apply.yaml')).toMatchObject({ code: 0 });
  expect(await domains()).toEqual(['b.example', 'c.example', 'foreign.example']);
  expect(applied()).toBe(second);
});

test('the CronJob keeps the commit of its last successful apply if an apply fails', async () => {
  const { runJob, commit, domains, applied } = await setUp();
  const first = commit({ 'websites.yaml': declares('a.example', 'b.example') });
  expect(await runJob('apply.yaml')).toMatchObject({ code: 0 });
  commit({ 'websites.yaml': declares('a..example') });
  expect(await runJob('apply.yaml')).toMatchObject({ failed: 'apply', code: 1 });
  expect(applied()).toBe(first);
  const last = commit({ 'websites.yaml': declares('a.example') });
  expect(await runJob('apply.yaml')).toMatchObject({ code: 0 });
  expect(await domains()).toEqual(['a.example']);
  expect(applied()).toBe(last);
});

test('the CronJob deletes nothing if the branch no longer contains its last commit', async () => {
  const { runJob, commit, domains, work, applied } = await setUp();
  commit({ 'websites.yaml': declares('a.example', 'b.example') });
  expect(await runJob('apply.yaml')).toMatchObject({ code: 0 });
  git(work, 'checkout', '--quiet', '--orphan', 'new');
  const rewritten = commit({ 'websites.yaml': declares('a.example') });
  git(work, 'branch', '--quiet', '--force', 'main');
  git(work, 'checkout', '--quiet', 'main');
  expect(await runJob('apply.yaml')).toMatchObject({ code: 0 });
  expect(await domains()).toEqual(['a.example', 'b.example']);
  expect(applied()).toBe(rewritten);
});

test('the CronJob changes nothing if the clone fails', async () => {
  const { runJob, domains } = await setUp();
  expect(await runJob('apply.yaml')).toMatchObject({ failed: 'clone' });
  expect(await domains()).toEqual([]);
});
