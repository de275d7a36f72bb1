/**
 * Packs dist/, installs it from the registry into an empty folder, and runs it under each supported Node. `npm run
 * release:check -- --node current` uses the Node that runs this; `--keep FOLDER` keeps the tarball.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = resolve(import.meta.dirname, '..');
const { values } = parseArgs({
  options: { node: { type: 'string', default: '20,22,24,26' }, keep: { type: 'string' } },
});
const { name, version, bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const folder = mkdtempSync(join(tmpdir(), 'websites-package-'));
try {
  const tarball = pack();
  for (const release of values.node.split(',')) tryOn(release, tarball);
  if (values.keep !== undefined) {
    mkdirSync(values.keep, { recursive: true });
    cpSync(tarball, join(values.keep, basename(tarball)));
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function pack() {
  const [{ filename }] = JSON.parse(
    npm(['pack', '--json', '--ignore-scripts', '--pack-destination', folder], ROOT),
  );
  console.log(`Packed ${filename}.`);
  return join(folder, filename);
}

function tryOn(release, tarball) {
  const node = release === 'current' ? process.execPath : nodeOf(release);
  const home = join(folder, `with-${release}`);
  mkdirSync(home);
  writeFileSync(join(home, 'package.json'), '{ "private": true, "type": "module" }\n');
  npm(['install', '--prefer-offline', tarball], home);
  const main = join(home, 'node_modules', name, 'dist/main.js');

  const said = run(node, [main, 'version'], home).trim();
  if (said !== `websites ${version}`) throw new Error(`"websites version" says ${said}.`);
  for (const program of Object.keys(bin)) {
    const answer = npm(['exec', '--no', '--call', `${program} version`], home).trim();
    if (answer !== said) throw new Error(`"${program} version" says ${answer}.`);
  }
  run(node, [main, 'init'], home);
  run(node, [main, 'apply', '--auto-approve'], home);
  run(node, [main, 'plan', '--detailed-exitcode'], home);
  run(node, ['--eval', `await import(${JSON.stringify(name)})`, '--input-type=module'], home);
  run(node, [join(ROOT, 'scripts/demo.mjs'), main], home);
  console.log(`Node ${run(node, ['--version'], home).trim()}: installed, and the demo works.`);
}

/** Gets Node from the registry's package for this platform. */
function nodeOf(major) {
  if (!/^\d+$/.test(major)) throw new Error(`${major} is not a major version of Node.`);
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const binaries = `node-${platform}-${process.arch}`;
  const prefix = join(folder, `node-${major}`);
  mkdirSync(prefix);
  npm(['install', '--ignore-scripts', '--prefix', prefix, `${binaries}@${major}`], prefix);
  return join(prefix, 'node_modules', binaries, 'bin', platform === 'win' ? 'node.exe' : 'node');
}

function npm(args, cwd) {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  return run('npm', [...args, ...quiet], cwd, { shell: process.platform === 'win32' });
}

/** Runs a program without the WEBSITES_… variables of the caller. */
function run(program, args, cwd, options = {}) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('WEBSITES_')));
  return execFileSync(program, args, {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    ...options,
  });
}
