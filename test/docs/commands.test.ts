/** What the README and the pages say is run, word for word. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { fieldReference, serviceReference } from '../../src/config/reference.ts';
import { runCli, testFolder } from '../support/cli.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(resolve(ROOT, file), 'utf8');

/** The `websites` commands of a page's shell blocks, in their order. */
function commandsOf(page: string): string[] {
  const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text = '']) => text);
  const lines = blocks.flatMap((block) =>
    block.split('\n').map((line) => line.replace(/\s+#.*$/, '').trim()),
  );
  return lines.flatMap((line) => /^(?:npx )?websites (.+)$/.exec(line)?.[1] ?? []);
}

/** Where a command, as a page has it, does not end with 0. */
const EXITS: Readonly<Record<string, number>> = {
  // There is nothing to go on with in a page's own folder.
  'apply --resume': 1,
  // It would delete every record that there is, which a guard refuses.
  undo: 5,
};

/** Nobody is there to answer. */
const ASKS = /^(?:apply|undo)(?!.*--auto-approve)(?!.*\.json)/;

test.for(['README.md', 'docs/safety.md'])(
  'the commands of %s do what they are for',
  { timeout: 60_000 },
  async (file: string) => {
    const folder = await testFolder({ 'websites.yaml': read('websites.yaml') });
    const commands = commandsOf(read(file));
    expect(commands.length).toBeGreaterThan(2);
    for (const command of commands) {
      const words = command.split(' ').concat(ASKS.test(command) ? ['--auto-approve'] : []);
      // The page's own file would be in the way of the one that it writes.
      const args = words[0] === 'export' ? [...words, '--force'] : words;
      const ended = await runCli(args, { cwd: folder });
      expect({ command, ...ended }).toMatchObject({ command, code: EXITS[command] ?? 0 });
    }
  },
);

test('the README has the tables that the code has', () => {
  expect(read('README.md')).toContain(fieldReference());
  expect(read('README.md')).toContain(serviceReference());
});

test('the README shows what the demo really prints', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [resolve(ROOT, 'scripts/demo.mjs')]);
  expect(stdout).toContain('No changes. 5 websites are as the files say');
  expect(read('README.md')).toContain(planOfDemo(stdout));
});

/** What the demo prints for its first plan. */
function planOfDemo(stdout: string): string {
  return /\$ websites plan\n\n([\s\S]*?)\n\n?\$ websites apply/.exec(stdout)?.[1]?.trimEnd() ?? 'no plan';
}

test('every command has help with examples, and is in the README', async () => {
  const folder = await testFolder();
  const { stdout: overview } = await runCli(['--help'], { cwd: folder });
  const names = [...overview.matchAll(/^ {2}websites (\w+)/gm)].map(([, name = '']) => name);
  expect(names).toContain('plan');
  for (const name of names) {
    expect(read('README.md')).toContain(`\`websites ${name}\``);
    const help = await runCli([name, '--help'], { cwd: folder });
    expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('Examples:') });
  }
}, 60_000);
