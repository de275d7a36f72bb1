/**
 * What the README and the pages say is run, page by page, each in a folder of its own:
 *
 * - a block with a language and a name is a file of that name;
 * - in a `console` block what follows `$` is run by a shell, and must print what the page shows (`…` stands for
 *   anything, ids may differ) and end with 0, unless `echo $?` is next;
 * - in a `sh` block the lines that begin with `websites` are run, and must end with 0, or with what a comment such as
 *   `# exit 2: …` says; other lines are for tools that are not here;
 * - `export WEBSITES_BASE_URL=…` begins the use of a service, which is the same for all commands after it. Before it,
 *   and without it, `local` is what is used.
 *
 * A page that brings files begins in an empty folder, the others beside the `websites.yaml` of this repository.
 */
import { expect, test } from 'vitest';
import { blocksOf, PAGES, read } from './pages.ts';
import { openShell, type Shell } from './shell.ts';

/** The page whose commands test/server/docs.test.ts runs. */
const ELSEWHERE = 'docs/service.md';

const COMMIT = 'git add -A && git -c user.name=a -c user.email=a@b.example commit -q --allow-empty -m work';

/** What a page's folder holds before each command of a shell block, for those that go on with what a reader has. */
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

/** A repository, in which `origin/main` is what the folder holds. */
async function commitToMain(run: Shell['run']): Promise<void> {
  await run(`git init -q && ${COMMIT}`);
  await run('git update-ref refs/remotes/origin/main HEAD');
}

/** Where a command does not end with 0 in a page's own folder, and the page need not say so. */
const EXITS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  // Nothing was applied to the service that it names.
  'README.md': { 'websites undo': 1 },
  'docs/commands.md': {
    'websites plan --prune --detailed-exitcode': 2,
    'websites undo 20260131T090000.000Z-1a2b3c': 1,
    'websites runs 20260131T090000.000Z-1a2b3c': 1,
  },
  'docs/recovery.md': { 'websites runs RUN': 1 },
};

/** What the service of a page has before its first command. */
const RECORDS: Readonly<Record<string, readonly string[]>> = {
  'README.md': ['example.com'],
  'docs/commands.md': ['example.com'],
  'docs/existing-records.md': ['example.com', 'blog.example.com', 'shop.example.com'],
  'docs/getting-started.md': ['example.com', 'shop.example.com'],
  'docs/change-websites.md': ['example.com', 'blog.example.com', 'shop.example.com'],
};

test.for(PAGES.filter((page) => page !== ELSEWHERE))(
  'the commands of %s do what they are for',
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

/** Each command of a console, with what the page says that it prints. */
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

/**
 * What was shown, in which `…` on a line of its own stands for any lines, and in a line for any text. Creates run side by
 * side, so that ids are not the same each time.
 */
function patternOf(shown: string): RegExp {
  const escaped = shown.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  const pattern = escaped
    .replaceAll(/^…\n/gm, '[^]*')
    .replaceAll('…', '.*')
    .replaceAll(/#\d/g, String.raw`#\d`);
  return new RegExp(`^${pattern}$`);
}

/** Nobody is there to answer. */
const ASKS = /^websites (?:apply|undo)(?!.*--auto-approve)(?!.*\.json)/;
/** Goes on until somebody ends it, which is done as soon as it says that it is there. */
const GOES_ON = /^websites serve\b/;

/** How npx runs this tool, and never the package of another name. */
const NPX = /^npx --no websites\b/;

/** The `websites` commands of a shell block, in their order. */
async function runLines(body: string, page: string, shell: Shell): Promise<void> {
  const lines = body.replaceAll(/\\\n\s*/g, '').split('\n');
  for (const line of lines.map((each) => each.trim())) {
    if (/^export WEBSITES_BASE_URL=/.test(line)) await shell.useService();
    const [, command = '', comment = ''] =
      /^((?:.* \| )?websites .*?)(?:\s+#\s(.*))?$/.exec(line.replace(NPX, 'websites')) ?? [];
    if (command === '' || line.startsWith('#')) continue;
    await BEFORE[page]?.(shell, command);
    const asked = ASKS.test(command) ? `${command} --auto-approve` : command;
    // The page's own file would be in the way of the one that it writes.
    const whole = /^websites (?:export .*--out|init)/.test(asked) ? `${asked} --force` : asked;
    const ended = GOES_ON.test(command) ? await shell.run(`exec ${whole}`, /\n/) : await shell.run(whole);
    const wanted = EXITS[page]?.[command] ?? Number(/^exit (\d+)(?:[:,;]|$)/.exec(comment)?.[1] ?? 0);
    expect(ended.code, `${command}\n${ended.printed}`).toBe(wanted);
  }
}
