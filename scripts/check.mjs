/** Runs the scripts `check:…` of package.json in parallel. Prints the output of each script when it ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
const names = Object.keys(scripts).filter((name) => name.startsWith('check:'));
const passed = await Promise.all(names.map(passes));
process.exitCode = passed.every(Boolean) ? 0 : 1;

async function passes(name) {
  const child = spawn('npm', ['run', '--silent', name], {
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      printed += text;
    });
  }
  const [code] = await once(child, 'close');
  process.stdout.write(`${name}: ${code === 0 ? 'passed' : 'failed'}\n${printed}`);
  return code === 0;
}
