import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { sbom } from '../../scripts/sbom.mjs';

interface Component {
  readonly 'bom-ref': string;
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly scope: string;
  readonly purl: string;
  readonly licenses: readonly { license?: { id: string }; expression?: string }[];
  readonly properties: readonly { value: string }[];
}

interface Sbom {
  readonly serialNumber: string;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { ref: string; dependsOn: readonly string[] }[];
}

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const MANIFEST = JSON.parse(read('package.json'));
const DOCUMENT = JSON.parse(read('dist/sbom.cdx.json')) as Sbom;

/** Rules of the CycloneDX 1.6 schema for the parts that we write. */
const TEXT = { type: 'string', minLength: 1 };
const COMPONENT = {
  type: 'object',
  required: ['type', 'bom-ref', 'name', 'version', 'licenses', 'purl'],
  additionalProperties: false,
  properties: {
    type: { enum: ['application', 'library'] },
    'bom-ref': TEXT,
    group: TEXT,
    name: TEXT,
    version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+' },
    scope: { enum: ['required', 'optional'] },
    licenses: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        oneOf: [{ required: ['license'] }, { required: ['expression'] }],
        additionalProperties: false,
        properties: {
          // The schema knows names of SPDX only.
          license: {
            type: 'object',
            properties: { id: { enum: ['MIT', 'ISC', 'BSD-3-Clause', 'Apache-2.0'] } },
          },
          expression: TEXT,
        },
      },
    },
    purl: { type: 'string', pattern: '^pkg:npm/(?:%40[\\w.-]+/)?[\\w.-]+@[\\w.+-]+$' },
    properties: { type: 'array', items: { type: 'object', properties: { name: TEXT, value: TEXT } } },
  },
};
const SCHEMA = {
  type: 'object',
  required: ['bomFormat', 'specVersion', 'version', 'metadata', 'components', 'dependencies'],
  additionalProperties: false,
  properties: {
    $schema: { const: 'http://cyclonedx.org/schema/bom-1.6.schema.json' },
    bomFormat: { const: 'CycloneDX' },
    specVersion: { const: '1.6' },
    serialNumber: {
      type: 'string',
      pattern: '^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
    },
    version: { type: 'integer', minimum: 1 },
    metadata: { type: 'object', additionalProperties: false, properties: { component: COMPONENT } },
    components: { type: 'array', minItems: 1, uniqueItems: true, items: COMPONENT },
    dependencies: {
      type: 'array',
      uniqueItems: true,
      items: {
        type: 'object',
        required: ['ref'],
        properties: { ref: TEXT, dependsOn: { type: 'array', uniqueItems: true, items: TEXT } },
      },
    },
  },
};

const fullName = ({ group, name }: Component): string => (group === undefined ? name : `${group}/${name}`);

test('the SBOM follows CycloneDX 1.6, and lists each package once', () => {
  const ajv = new Ajv({ allErrors: true, strict: false });
  ajv.validate(SCHEMA, DOCUMENT);
  expect(ajv.errors ?? []).toEqual([]);
  const refs = [DOCUMENT.metadata.component, ...DOCUMENT.components].map((one) => one['bom-ref']);
  expect(new Set(refs).size).toBe(refs.length);
  // Lists dependencies of its own components, once each.
  expect(DOCUMENT.dependencies.map(({ ref }) => ref).sort()).toEqual([...refs].sort());
  expect(
    DOCUMENT.dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !refs.includes(ref)),
  ).toEqual([]);
  expect(DOCUMENT.metadata.component).toMatchObject({ name: MANIFEST.name, version: MANIFEST.version });
});

test('the SBOM lists every bundled package with version, license and package URL', () => {
  const heads = read('dist/THIRD-PARTY-LICENSES.txt').matchAll(
    /^((?:@[\w.-]+\/)?[\w.-]+) (\d+\.\S+) \((.+)\)$/gm,
  );
  const inside = Array.from(heads, ([, name = '', version = '', license = '']) => ({
    name,
    version,
    license,
  }));
  expect(inside.length).toBeGreaterThan(50);
  for (const { name, version, license } of inside) {
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    const found = DOCUMENT.components.find((one) => one.purl === purl);
    expect(found, purl).toMatchObject({ version, properties: [{ value: 'bundled' }] });
    expect(found?.licenses).toEqual([{ license: { id: license } }]);
  }
});

test('the SBOM and SECURITY.md list every imported package at its locked version', () => {
  const { packages } = JSON.parse(read('package-lock.json'));
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const imported = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      Array.from(
        read(`src/${file}`).matchAll(
          /(?:^import (?!type\b)[\w\s{},*]+ from |\bimport\()'((?:@[\w-]+\/)?[a-z][\w-]*)(?:\/[^']*)?'/gm,
        ),
        ([, name = '']) => name,
      ),
    );
  const names = [...new Set(imported)];
  expect(names).toEqual(expect.arrayContaining(['libsql', 'yaml', 'zod']));
  for (const name of names) {
    const versions = DOCUMENT.components
      .filter((one) => fullName(one) === name)
      .map(({ version }) => version);
    expect(read('SECURITY.md'), name).toContain(`\`${name}\``);
    expect(versions, name).toContain(packages[`node_modules/${name}`].version);
  }
});

test('the SBOM lists the packages that npm installs', () => {
  const installed = DOCUMENT.components.filter(({ properties: [one] }) => one?.value === 'installed');
  expect(installed.find(({ name }) => name === 'libsql')).toMatchObject({
    version: MANIFEST.dependencies.libsql,
    scope: 'required',
    licenses: [{ license: { id: 'MIT' } }],
  });
  // npm installs one of the parts for a platform.
  expect(installed.find((one) => fullName(one) === '@libsql/linux-x64-gnu')).toMatchObject({
    scope: 'optional',
  });
  const direct = DOCUMENT.dependencies.find(({ ref }) => ref === DOCUMENT.metadata.component.purl);
  expect(direct?.dependsOn).toContain(`pkg:npm/libsql@${MANIFEST.dependencies.libsql}`);
});

test('the SBOM depends only on the packages, not on their order', () => {
  const yaml = ['node_modules/yaml/dist/index.js', 'node_modules/yaml/dist/nodes/Node.js'];
  const zod = 'node_modules/zod/index.js';
  expect(sbom(MANIFEST, [zod, ...yaml])).toBe(sbom(MANIFEST, [...yaml].reverse().concat(zod, 'src/a.ts')));
  const serials = [yaml, [...yaml, zod]].map((inputs) => JSON.parse(sbom(MANIFEST, inputs)).serialNumber);
  expect(new Set(serials).size).toBe(2);
});
