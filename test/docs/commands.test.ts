/**
 * Runs the commands of each page in its own directory. A block with a language and a name is a file. In a
 * `console` block, a shell runs the text after `$`. It must print what the page shows (`…` is any text, IDs
 * may differ), and exit with 0 unless `echo $?` follows. In a `sh` block, lines that begin with `websites`
 * must exit with 0, or with the code in a comment such as `# exit 2: …`. `export WEBSITES_BASE_URL=…` starts
 * a service for the later commands; before it, `local` is used. A page without files uses the `websites.yaml`
 * of this repository.
 */
import { expect, test } from 'vitest';
import { blocksOf, PAGES, read } from './pages.ts';
import { openShell, type Shell } from './shell.ts';

/** The page that test/server/docs.test.ts runs. */
const ELSEWHERE = 'docs/service.md';

const COMMIT = 'git add -A && git -c user.name=a -c user.email=a@b.example commit -q --allow-empty -m work';

/** Prepares the directory before each command of a `sh` block, as a reader of the page has it. */
const BEFORE: Readonly<Record<string, (shell: Shell, command: string) => Promise<void>>> = {
  'docs/commands.md': async ({ run, write }, command) => {
    const own = read('websites.yaml');
    await write(
      'websites.yaml',
      /target/.test(command) ? `${own}\ntargets: { a: { base_url: local } }\n` : own,
    );
    await write('domains.txt', 'news.example.com\n');
    await write('sites.csv', 'Site URL,email\nshop.example.org,1\n');
    await write('sites/a.yaml', 'websites: [a.example.com]\n');
    await write('teams/b.yaml', 'websites: [b.example.com]\n');
    if (/completion/.test(command)) await run('mkdir -p ~/.zfunc ~/.config/fish/completions');
    if (command === 'websites apply plan.json') {
      await write('websites.yaml', `${own}  - more.example.com\n`);
      await run('websites plan --out plan.json');
    }
    if (command === 'websites plan --since origin/main') await commitToMain(run);
  },
  'docs/large-accounts.md': async ({ run }, command) => {
    if (/--since/.test(command)) await commitToMain(run);
  },
  'docs/drift.md': async ({ run }, command) => {
    if (command === 'websites plan --since HEAD~1') await run(`git init -q && ${COMMIT} && ${COMMIT}`);
  },
  'docs/recovery.md': async ({ run, write }, command) => {
    if (command !== 'websites undo') return;
    await run('websites apply --auto-approve');
    await write('websites.yaml', `${read('websites.yaml')}  - more.example.com\n`);
    await run('websites apply --auto-approve');
  },
};

/** Commits the directory as `origin/main`. */
async function commitToMain(run: Shell['run']): Promise<void> {
  await run(`git init -q && ${COMMIT}`);
  await run('git update-ref refs/remotes/origin/main HEAD');
}

/** Exit codes that differ from those on the page because of the directory of this test. */
const EXITS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  // Nothing was applied to the service of the README.
  'README.md': { 'websites undo': 1 },
  'docs/commands.md': {
    'websites plan --prune --detailed-exitcode': 2,
    'websites undo 20260131T090000.000Z-1a2b3c': 1,
    'websites runs 20260131T090000.000Z-1a2b3c': 1,
  },
  'docs/recovery.md': { 'websites runs RUN': 1 },
};

/** Records of a page's service before its first command. */
const RECORDS: Readonly<Record<string, readonly string[]>> = {
  'README.md': ['example.com'],
  'docs/commands.md': ['example.com'],
  'docs/existing-records.md': ['example.com', 'blog.example.com', 'shop.example.com'],
  'docs/getting-started.md': ['example.com', 'shop.example.com'],
  'docs/change-websites.md': ['example.com', 'blog.example.com', 'shop.example.com'],
};

test.for(PAGES.filter((page) => page !== ELSEWHERE))(
  'the commands of %s work as shown',
  { timeout: 120_000 },
  async (page) => {
    const blocks = blocksOf(read(page));
    const shell = await openShell(RECORDS[page] ?? []);
    if (blocks.every(({ name }) => name === undefined))
      await shell.write('websites.yaml', read('websites.yaml'));
    for (const { language, name, body } of blocks) {
      if (name !== undefined) await shell.write(name, body);
      else if (language === 'console') await runConsole(body, shell);
      else if (language === 'sh') await runLines(body, page, shell);
    }
  },
);

async function runConsole(body: string, shell: Shell): Promise<void> {
  const parts = body.split(/^\$ /m).slice(1);
  let last = 0;
  for (const [index, part] of parts.entries()) {
    const [command = '', ...shown] = part.split('\n');
    if (/^export WEBSITES_BASE_URL=/.test(command)) {
      await shell.useService();
      continue;
    }
    const { code, printed } = await shell.run(
      command.includes('$?') ? `(exit ${last})\n${command}` : command,
    );
    const isAsked = parts[index + 1]?.startsWith('echo $?') === true;
    if (!isAsked) expect(code, `${command}\n${printed}`).toBe(0);
    const expected = shown.join('\n');
    const isAsShown = patternOf(expected).test(printed);
    expect({ command, printed: isAsShown ? expected : printed }).toEqual({ command, printed: expected });
    last = code ?? 1;
  }
}

/** `…` on its own line matches any lines, and in a line any text. Parallel creates have varying IDs. */
function patternOf(shown: string): RegExp {
  const escaped = shown.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const pattern = escaped
    .replaceAll(/^…\n/gm, '[^]*')
    .replaceAll('…', '.*')
    .replaceAll(/#\d/g, String.raw`#\d`);
  return new RegExp(`^${pattern}$`);
}

/** Commands that ask for confirmation: nobody can answer here. */
const ASKS = /^websites (?:apply|undo)(?!.*--auto-approve)(?!.*\.json)/;
/** A command that runs until it is stopped. */
const GOES_ON = /^websites serve\b/;

/** The form of npx that never downloads another package. */
const NPX = /^npx --no websites\b/;

async function runLines(body: string, page: string, shell: Shell): Promise<void> {
  const lines = body.replaceAll(/\\\n\s*/g, '').split('\n');
  for (const line of lines.map((each) => each.trim())) {
    if (/^export WEBSITES_BASE_URL=/.test(line)) await shell.useService();
    const [, command = '', comment = ''] =
      /^((?:.* \| )?websites .*?)(?:\s+#\s(.*))?$/.exec(line.replace(NPX, 'websites')) ?? [];
    if (command === '' || line.startsWith('#')) continue;
    await BEFORE[page]?.(shell, command);
    const asked = ASKS.test(command) ? `${command} --auto-approve` : command;
    // The page's own file would prevent the command from writing it.
    const whole = /^websites (?:export .*--out|init)/.test(asked) ? `${asked} --force` : asked;
    const ended = GOES_ON.test(command) ? await shell.run(`exec ${whole}`, /\n/) : await shell.run(whole);
    const wanted = EXITS[page]?.[command] ?? Number(/^exit (\d+)(?:[:,;]|$)/.exec(comment)?.[1] ?? 0);
    expect(ended.code, `${command}\n${ended.printed}`).toBe(wanted);
  }
}
