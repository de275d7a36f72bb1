/** examples/kubernetes: valid for the cluster, right for the program, and run here as a cluster would run it. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { CronJob } from 'kubernetes-models/batch/v1/CronJob';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { PersistentVolumeClaim } from 'kubernetes-models/v1/PersistentVolumeClaim';
import { Secret } from 'kubernetes-models/v1/Secret';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { parseCommandLine } from '../../src/cli/argv/parse.ts';
import { EXIT } from '../../src/model/errors.ts';
import { act } from '../support/acting-service.ts';
import { runBuilt } from '../support/built.ts';
import { startCli, testFolder } from '../support/cli.ts';
import { runProcess } from '../support/process.ts';
import { git } from '../support/scratch-repo.ts';
import {
  containersOf,
  FOLDER,
  kustomization,
  MANIFESTS,
  type Manifest,
  manifest,
  POD_MONITOR,
  podOf,
  ROOT,
  read,
  WORKLOADS,
} from './manifests.ts';

interface Model {
  validate(): void;
}

const KINDS: Readonly<Record<string, new (data: never) => Model>> = {
  Deployment,
  CronJob,
  PersistentVolumeClaim,
  Namespace,
  ConfigMap,
  Secret,
};

function validate(document: { readonly kind: string }): void {
  const Kind = KINDS[document.kind];
  if (Kind === undefined) throw new Error(`no schema for ${document.kind}`);
  new Kind(document as never).validate();
}

/** The path of every key of a document. */
function pathsOf(value: unknown, path: readonly (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const here = [...path, Array.isArray(value) ? Number(key) : key];
    return [here, ...pathsOf(inner, here)];
  });
}

/** A copy in which the value at `path` is of another kind. */
function spoiled(document: object, path: readonly (string | number)[]): { kind: string } {
  const copy = structuredClone(document) as { kind: string };
  const owner = path.slice(0, -1).reduce((at, key) => (at as never)[key], copy as unknown) as Record<
    string,
    unknown
  >;
  const key = String(path.at(-1));
  owner[key] = typeof owner[key] === 'object' ? 'of another kind' : { of: 'another kind' };
  return copy;
}

describe.each(MANIFESTS.filter((file) => file !== POD_MONITOR))('%s', (file) => {
  test('is valid', () => {
    validate(manifest(file));
  });

  test('has no key that the schema does not know', () => {
    // A key that it knows is a key whose kind it checks.
    const document = parse(read(file), { merge: true }) as { kind: string };
    for (const path of pathsOf(document).filter(([first]) => first !== 'kind' && first !== 'apiVersion')) {
      expect(() => validate(spoiled(document, path)), path.join('.')).toThrow();
    }
  });
});

describe('kustomization.yaml', () => {
  test('names files that are there, and each of them in a line or a comment', () => {
    const { resources } = kustomization();
    for (const file of resources) expect(MANIFESTS).toContain(file);
    for (const file of MANIFESTS) expect(read('kustomization.yaml')).toContain(`- ${file}\n`);
  });

  test('has the image of each container, and all that pods take from the cluster', () => {
    const { images, configMapGenerator, secretGenerator } = kustomization();
    const made = [...configMapGenerator, ...secretGenerator].map(({ name }) => name);
    for (const file of WORKLOADS) {
      for (const { image, envFrom } of containersOf(file)) {
        expect(images.map(({ name }) => name)).toContain(image);
        expect(envFrom).toEqual([{ configMapRef: { name: 'websites-env' } }]);
      }
      const volumes = podOf(manifest(file))?.volumes ?? [];
      const taken = volumes.flatMap(({ configMap, secret }) => [
        configMap?.name ?? [],
        secret?.secretName ?? [],
      ]);
      expect(made).toEqual(expect.arrayContaining([...taken.flat(), 'websites-env']));
    }
    expect(read('.gitignore')).toBe(`/${secretGenerator[0]?.files?.[0]}\n`);
  });

  test('is the only place of the address, the namespace and the registry', () => {
    const { namespace } = kustomization();
    for (const file of WORKLOADS) expect(read(file)).not.toMatch(/https?:\/\/|registry\.|namespace:/);
    expect(manifest('namespace.yaml')).toMatchObject({ kind: 'Namespace', metadata: { name: namespace } });
  });
});

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

describe.skipIf(!hasKubectl)('kubectl kustomize (skipped where there is none)', () => {
  /** What one `kubectl apply -k` sends, with the file edited by `edit`. */
  async function built(edit: (text: string) => string = (text) => text): Promise<Manifest[]> {
    const folder = await testFolder({ 'api-key': 'do-not-print-this-key\n' });
    cpSync(FOLDER, folder, { recursive: true });
    writeFileSync(join(folder, 'kustomization.yaml'), edit(read('kustomization.yaml')));
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
  }

  test('builds everything that the pods need, in one namespace', async () => {
    const documents = await built((text) => text.replace('namespace: websites\n', 'namespace: other\n'));
    for (const document of documents) validate(document);
    expect(documents.map(({ kind }) => kind).toSorted()).toEqual([
      ...['ConfigMap', 'ConfigMap', 'CronJob', 'Deployment'],
      ...['Namespace', 'PersistentVolumeClaim', 'Secret'],
    ]);
    for (const { kind, metadata } of documents) {
      if (kind === 'Namespace') expect(metadata.name).toBe('other');
      else expect(metadata.namespace).toBe('other');
    }
    const maps = documents.filter(({ kind }) => kind === 'ConfigMap').map(({ metadata }) => metadata.name);
    const pods = documents.flatMap((document) => podOf(document) ?? []);
    expect(pods).toHaveLength(2);
    for (const { containers } of pods) {
      expect(containers[0].image).toBe(`registry.example.com/websites:${version}`);
      expect(maps).toContain(containers[0].envFrom?.[0]?.configMapRef.name);
    }
  });

  test('takes the files that are comments, too', async () => {
    const documents = await built((text) =>
      text.replaceAll(/^( +)# - (\S*).*$/gm, '$1- $2').replaceAll(/^ +- (?:reconcile|drift)\.yaml\n/gm, ''),
    );
    expect(documents.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['PodMonitor', 'Deployment']));
    const images = documents.flatMap((document) => podOf(document)?.containers[0].image ?? []);
    expect(images).toEqual([`registry.example.com/websites:${version}-git`]);
  });
});

test('the monitor finds the pods of the loop, and their port', () => {
  const { spec } = manifest(POD_MONITOR) as unknown as {
    spec: { selector: { matchLabels: object }; podMetricsEndpoints: { port: string; path: string }[] };
  };
  for (const file of ['reconcile.yaml', 'reconcile-git.yaml']) {
    const { template } = manifest(file).spec as unknown as { template: { metadata: { labels: object } } };
    expect(template.metadata.labels).toEqual(spec.selector.matchLabels);
    expect(
      containersOf(file)
        .at(-1)
        ?.ports?.map(({ name }) => name),
    ).toContain(spec.podMetricsEndpoints[0]?.port);
  }
});

test('what a retry cannot change is not retried', () => {
  const codes = (file: string) =>
    manifest(file).spec.jobTemplate?.spec.podFailurePolicy.rules.flatMap(
      ({ onExitCodes }) => onExitCodes?.values ?? [],
    );
  expect(codes('drift.yaml')).toEqual([EXIT.changes, EXIT.keyRefused, EXIT.guard]);
});

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');

describe.each(WORKLOADS)('the pods of %s', (file) => {
  const pod = podOf(manifest(file));
  const containers = containersOf(file);
  const [main] = pod?.containers ?? [];
  const args = main?.args ?? [];
  const flagValue = (flag: string): string | undefined =>
    args.find((arg) => arg.startsWith(`--${flag}=`))?.slice(flag.length + 3);

  test('may do nothing that they need not', () => {
    const user = /^USER (\d+):\1\n\nFROM websites\n$/m.exec(dockerfile)?.[1];
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: Number(user),
        runAsGroup: Number(user),
        seccompProfile: { type: 'RuntimeDefault' },
      },
    });
    for (const { securityContext, resources } of containers) {
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(resources).toMatchObject({
        requests: { cpu: expect.anything() },
        limits: { memory: expect.anything() },
      });
    }
  });

  test('have the image of this version', () => {
    const stage = args.includes('--git') ? '-git' : '';
    for (const { image } of containers) {
      const { newTag } = kustomization().images.find(({ name }) => name === image) ?? {};
      expect({ image, newTag }).toEqual({ image: `websites${stage}`, newTag: `${version}${stage}` });
    }
    expect(dockerfile).toContain(stage === '' ? 'ENTRYPOINT ["websites"]' : 'AS git\n');
  });

  test('run a command line that there is', async () => {
    const io = { env: {}, width: 100 };
    expect(await parseCommandLine(args, io as never)).toMatchObject({ command: expect.anything(), args: [] });
    expect(args.filter((arg) => /key=|password=|token=/.test(arg))).toEqual([]);
  });

  test('mount what they name, and may write where they must', () => {
    const volumes = (pod?.volumes ?? []).map(({ name }) => name);
    const mounts = main?.volumeMounts ?? [];
    for (const { volumeMounts } of containers)
      for (const { name } of volumeMounts) expect(volumes).toContain(name);
    expect(new Set(mounts.map(({ name }) => name))).toEqual(new Set(volumes));
    const mountOf = (path = '') => mounts.find(({ mountPath }) => path.startsWith(mountPath));
    for (const path of [flagValue('file'), flagValue('api-key-file'), flagValue('allow-path')])
      expect(mountOf(path), path).toBeDefined();
    expect(mountOf(flagValue('api-key-file'))).toMatchObject({ name: 'secrets', readOnly: true });
    if (args[0] !== 'drift') expect(mountOf(flagValue('state-folder'))?.readOnly).toBeUndefined();
  });

  test('are asked for their health where they tell of it', () => {
    const port = Number(flagValue('listen')?.split(':').at(-1));
    if (args[0] !== 'reconcile') {
      expect(flagValue('listen')).toBeUndefined();
      return;
    }
    expect(main?.ports).toEqual([{ name: 'http', containerPort: port }]);
    expect(dockerfile).toContain(`EXPOSE ${port}\n`);
    expect(main?.livenessProbe?.httpGet).toEqual({ path: '/healthz', port: 'http' });
    expect(main?.readinessProbe?.httpGet).toEqual({ path: '/readyz', port: 'http' });
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(60);
  });
});

test('the loop is alone, and looks do not pile up', () => {
  for (const file of ['reconcile.yaml', 'reconcile-git.yaml'])
    expect(manifest(file).spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
  expect(manifest('drift.yaml').spec).toMatchObject({ concurrencyPolicy: 'Forbid' });
});

test('a clone that was killed is begun again', async () => {
  const root = await testFolder();
  const [bin, origin, repo] = [join(root, 'bin'), join(root, 'origin'), join(root, 'repo')];
  for (const folder of [bin, origin, repo]) mkdirSync(folder);
  // The last argument is where it clones to.
  const killed = '#!/bin/sh\nfor to; do :; done\nmkdir -p "$to/.git"\nkill -9 $$\n';
  writeFileSync(join(bin, 'git'), killed, { mode: 0o755 });
  writeFileSync(join(origin, 'websites.yaml'), 'websites: []\n');
  git(origin, 'init', '--quiet', '--initial-branch', 'main');
  git(origin, 'add', '.');
  git(origin, 'commit', '--quiet', '--message', 'First');
  const [program = '', ...args] = podOf(manifest('reconcile-git.yaml'))?.initContainers?.[0]?.command ?? [];
  const clone = (path: string) =>
    runProcess(
      program,
      args.map((arg) => arg.replaceAll('/repo/', `${repo}/`)),
      { cwd: root, env: { PATH: path, REPOSITORY: origin } },
    );
  const path = process.env.PATH ?? '';
  expect((await clone([bin, path].join(delimiter))).code).not.toBe(0);
  expect(await clone(path)).toMatchObject({ code: 0 });
  expect(readdirSync(join(repo, 'files')).sort()).toEqual(['.git', 'websites.yaml']);
  expect(await clone(path)).toEqual({ code: 0, text: '' });
  expect(readdirSync(repo)).toEqual(['files']);
});

/** The volumes as folders, laid out as the kubelet lays them out: files are links into a folder that is swapped whole. */
async function volumes(key: string) {
  const root = await testFolder();
  const mount = (name: string, files: Readonly<Record<string, string>>): string => {
    const folder = join(root, name);
    mkdirSync(join(folder, '..2026_01_31'), { recursive: true });
    symlinkSync('..2026_01_31', join(folder, '..data'));
    for (const [file, text] of Object.entries(files)) {
      writeFileSync(join(folder, '..2026_01_31', file), text);
      symlinkSync(join('..data', file), join(folder, file));
    }
    return folder;
  };
  mount('config', { 'websites.yaml': read('websites.yaml') });
  mount('secrets', { 'api-key': `${key}\n` });
  mkdirSync(join(root, 'state'));
  /** The arguments of a container, with its mounts in these folders. */
  const argsOf = (file: string): string[] =>
    (containersOf(file)[0]?.args ?? []).map((arg) =>
      arg
        .replace('--listen=:9090', '--listen=127.0.0.1:0')
        .replace(/^(--[a-z-]+=)?\/(config|secrets|state)\b/, (_, flag = '', name) => flag + join(root, name)),
    );
  return { root, argsOf };
}

test('drift fails, one pass fixes it, drift is quiet, and the loop takes over', async () => {
  const service = await act({ key: 'do-not-print-this-key' });
  const { root, argsOf } = await volumes(service.key);
  const options = { cwd: '/', env: { WEBSITES_BASE_URL: service.url } };
  expect(await runBuilt(argsOf('drift.yaml'), options)).toMatchObject({ code: 2 });

  expect(await runBuilt([...argsOf('reconcile.yaml'), '--once'], options)).toMatchObject({ code: 0 });
  expect(
    service
      .records()
      .map(({ domain }) => domain)
      .sort(),
  ).toEqual(['docs.example.com', 'example.com', 'shop.example.com']);
  expect(await runBuilt(argsOf('drift.yaml'), options)).toMatchObject({ code: 0, stdout: '' });

  const first = service.records()[0];
  service.remove(first?.id ?? 0);
  const loop = startCli(argsOf('reconcile.yaml'), options);
  onTestFinished(() => void loop.child.kill('SIGKILL'));
  let log = '';
  await new Promise<void>((done) => {
    loop.child.stderr?.on('data', (text: string) => {
      log += text;
      if (log.includes('pass ended')) done();
    });
  });
  const { url } = JSON.parse(log.split('\n')[0] ?? '') as { url: string };
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  loop.child.kill('SIGTERM');
  expect(await loop.ended).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('"pass":1,"outcome":"converged"'),
  });
  expect(service.records().map(({ domain }) => domain)).toContain(first?.domain);
  // Nothing was written but into the volume for it.
  expect(readFileSync(join(root, 'config', 'websites.yaml'), 'utf8')).toBe(read('websites.yaml'));
  expect(readdirSync(join(root, 'config')).sort()).toEqual(['..2026_01_31', '..data', 'websites.yaml']);
  expect(readdirSync(join(root, 'state'))).toContain('.websites');
});
