/**
 * Builds a CycloneDX 1.6 document of all packages that are bundled or installed. It depends only on them, so
 * that two builds of one commit are equal.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const LOCK = 'package-lock.json';
/** Matches a license that is one name. Any other license is an expression. */
const ONE_LICENSE = /^[\w.+-]+$/;

/** Returns the directories of bundled packages, sorted, each with a final `/`. */
export function packageFolders(inputs) {
  const folders = inputs.flatMap(
    (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(path)?.slice(0, 1) ?? [],
  );
  return [...new Set(folders)].sort();
}

export function sbom(manifest, inputs) {
  const { packages } = JSON.parse(readFileSync(LOCK, 'utf8'));
  const bundled = packageFolders(inputs).map((folder) => ({
    folder,
    manifest: JSON.parse(readFileSync(`${folder}package.json`, 'utf8')),
    scope: 'required',
  }));
  const installed = installedWith(manifest, packages);
  const all = new Map([...bundled, ...installed].map((one) => [one.folder, one]));
  const root = componentOf({ manifest });
  const components = [...all.values()].map(componentOf);
  const dependencies = [
    dependency(root['bom-ref'], '', { ...manifest.dependencies, ...manifest.devDependencies }, all),
    ...[...all.values()].map((one) =>
      dependency(refOf(one.manifest), one.folder, dependenciesOf(one.manifest), all),
    ),
  ];
  const said = {
    metadata: { component: { ...root, type: 'application' } },
    components: byRef(components, 'bom-ref'),
    dependencies: byRef(dependencies, 'ref'),
  };
  const head = { $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json', bomFormat: 'CycloneDX' };
  const document = { ...head, specVersion: '1.6', serialNumber: serialOf(said), version: 1, ...said };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Reads the lock file. Some packages in it are only for one platform. */
function installedWith(manifest, packages) {
  const found = new Map();
  const visit = (from, names) => {
    for (const name of names) {
      const folder = resolveFrom(from, name, (path) => path.slice(0, -1) in packages);
      if (folder === undefined || found.has(folder)) continue;
      const locked = packages[folder.slice(0, -1)];
      found.set(folder, {
        folder,
        manifest: { ...locked, name },
        scope: locked.optional ? 'optional' : 'required',
        isInstalled: true,
      });
      visit(folder, Object.keys(dependenciesOf(locked)));
    }
  };
  visit('', Object.keys(manifest.dependencies));
  return [...found.values()];
}

function dependenciesOf({ dependencies, optionalDependencies }) {
  return { ...dependencies, ...optionalDependencies };
}

/** Returns the nearest directory of the package `name`, by the rules of Node. */
function resolveFrom(from, name, exists) {
  for (let at = from; ; at = at.slice(0, at.lastIndexOf('node_modules/'))) {
    const folder = `${at}node_modules/${name}/`;
    if (exists(folder)) return folder;
    if (at === '') return undefined;
  }
}

function componentOf({ manifest, scope, isInstalled }) {
  const { name, version, license } = manifest;
  const [group, own] = name.startsWith('@') ? name.split('/') : [undefined, name];
  if (typeof license !== 'string') throw new Error(`${name} ${version} names no license.`);
  return {
    type: 'library',
    'bom-ref': refOf(manifest),
    ...(group === undefined ? {} : { group }),
    name: own,
    version,
    ...(scope === undefined ? {} : { scope }),
    licenses: [ONE_LICENSE.test(license) ? { license: { id: license } } : { expression: license }],
    purl: refOf(manifest),
    ...(scope === undefined
      ? {}
      : {
          properties: [{ name: 'websites-as-code:delivery', value: isInstalled ? 'installed' : 'bundled' }],
        }),
  };
}

function refOf({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function dependency(ref, folder, names, all) {
  const found = Object.keys(names).flatMap((name) => {
    const one = all.get(resolveFrom(folder, name, (path) => all.has(path)));
    return one === undefined ? [] : refOf(one.manifest);
  });
  return { ref, dependsOn: [...new Set(found)].sort() };
}

/** Sorts rows and removes duplicates, because the same version may be in several directories. */
function byRef(rows, key) {
  const merged = new Map();
  for (const row of rows) {
    const former = merged.get(row[key]);
    if (former?.dependsOn !== undefined)
      row.dependsOn = [...new Set([...former.dependsOn, ...row.dependsOn])].sort();
    merged.set(row[key], row);
  }
  return [...merged.keys()].sort().map((ref) => merged.get(ref));
}

/** Returns a UUID (version 8) that depends only on the content. */
function serialOf(said) {
  const hex = createHash('sha256').update(JSON.stringify(said)).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `urn:uuid:${parts.join('-')}`;
}
