import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join, parse, resolve } from 'node:path';
import { apiKeyFrom } from '../../model/api-key.ts';
import { EXIT, WebsitesError } from '../../model/errors.ts';
import { holdsPassword, isDatabaseUrl, shownDatabase } from '../../server/database-url.ts';
import { ensureKeyFile } from '../../server/key-file.ts';
import { LIMITS } from '../../server/limits.ts';
import { LOG_FORMATS, logLines } from '../../server/log.ts';
import { withStore } from '../../server/open-store.ts';
import { DEFAULT_ACCOUNT } from '../../server/store.ts';
import { keepKey } from '../../util/key-filter.ts';
import { readNamed, readRegularFile } from '../../util/node/read-file.ts';
import { didYouMean, type FlagValues, usageError, variableOf } from '../argv/flags.ts';
import { WRITTEN_FILE } from '../argv/shared-flags.ts';
import { defineCommand } from '../command.ts';
import { takeInterrupts } from '../io/interrupt.ts';
import type { Io } from '../io/io.ts';

const DEFAULT_PORT = 8080;
const DEFAULT_HOST = '127.0.0.1';
const DEFAULT_DB = 'websites.db';

const FLAGS = {
  port: {
    type: 'number',
    most: 65_535,
    describe: 'Port to listen on; 0 picks a free port',
    default: String(DEFAULT_PORT),
  },
  host: { type: 'string', value: 'HOST', describe: 'Address to listen on', default: DEFAULT_HOST },
  db: {
    type: 'string',
    completes: 'file',
    describe: 'SQLite file, or postgres://HOST/NAME (put a URL with a password in the variable)',
    default: DEFAULT_DB,
  },
  'api-key-file': {
    type: 'string',
    completes: 'file',
    describe: 'File with an API key to accept; without one, WEBSITES_API_KEY or a generated file',
  },
  'rate-limit': { type: 'number', describe: 'Requests per minute and key; 0 means no limit', default: '0' },
  'max-connections': {
    type: 'number',
    least: 1,
    describe: 'Open connections at a time',
    default: String(LIMITS.connections),
  },
  log: {
    type: 'string',
    choices: LOG_FORMATS,
    describe: 'Log each request to standard error; failures are always logged',
    default: 'none',
  },
  out: { ...WRITTEN_FILE, describe: 'With "keys create": new file for the key' },
} as const;

/** What is of the service that runs. Its variables may well be those of every command beside it. */
const SERVICE_ALONE = ['port', 'host', 'api-key-file', 'rate-limit', 'max-connections', 'log'] as const;

export default defineCommand({
  positional: '[keys create NAME | keys list | keys revoke NAME|ID | backup FILE]',
  subcommands: ['keys create', 'keys list', 'keys revoke', 'backup'],
  flags: FLAGS,
  examples: [
    ['websites serve', 'serve on http://127.0.0.1:8080, with records in websites.db'],
    ['websites serve --port 0 --db try.db', 'serve on a free port'],
    ['websites serve keys create ci --out ci.key', 'create an API key (no restart needed)'],
    ['websites serve keys revoke ci', 'revoke an API key immediately'],
    ['websites serve backup copy.db', 'copy the database while the service runs'],
  ],
  async run(flags, io, args) {
    const [what, ...rest] = args;
    if (flags.out !== undefined && !(what === 'keys' && rest[0] === 'create')) {
      throw usageError(`--out (${variableOf('out')}) can only be used with "serve keys create".`, 'Omit it.');
    }
    const idle = SERVICE_ALONE.find((name) => flags[name] !== undefined && !io.env[variableOf(name)]);
    if (what !== undefined && idle !== undefined)
      throw usageError(`--${idle} cannot be used with a subcommand.`, 'Omit it.');
    if (what === undefined) {
      await serveUntilStopped(flags, io);
      return EXIT.done;
    }
    if (what === 'keys') {
      const { runKeys } = await import('./serve-keys.ts');
      return runKeys(rest, databaseOf(flags.db, io), flags.out, io);
    }
    if (what === 'backup') {
      const { runBackup } = await import('./serve-backup.ts');
      return runBackup(rest, databaseOf(flags.db, io), io);
    }
    throw usageError(
      `Unknown subcommand of "websites serve": ${JSON.stringify(what)}.`,
      `${didYouMean(what, ['keys', 'backup'])}Subcommands: keys, backup. Without one, the service starts.`,
    );
  },
});

/** Serves until it is interrupted; then answers what is under way and closes the database. */
async function serveUntilStopped(flags: FlagValues<typeof FLAGS>, io: Io): Promise<void> {
  const {
    host = DEFAULT_HOST,
    port = DEFAULT_PORT,
    'max-connections': connections = LIMITS.connections,
  } = flags;
  const db = databaseOf(flags.db, io);
  const { checkPort, startService } = await import('../../server/server.ts');
  await checkPort(host, port);
  const key = await keyOf(flags['api-key-file'], db, io);
  if (key !== undefined) keepKey(key.value);
  const service = await startService({
    db,
    host,
    port,
    keys: key === undefined ? [] : [key.value],
    log: logLines(flags.log ?? 'none', io.err),
    rateLimit: flags['rate-limit'] ?? 0,
    limits: { connections },
  });
  const interrupts = takeInterrupts('Stopping: finishing requests in flight.');
  try {
    const origin = key === undefined ? 'websites serve keys list' : key.origin;
    io.err(
      `Serving ${shownDatabase(db)} at ${service.url} (key: ${origin}). Ctrl-C stops it.\nDocs: ${service.url}/docs\n`,
    );
    await once(interrupts.signal, 'abort');
  } finally {
    interrupts.end();
    await service.close();
  }
}

/**
 * The database that `--db` or WEBSITES_DB names: a whole path, or an address. Throws `usage` for an
 * address with a password that did not come from the variable: arguments are in the process list.
 */
function databaseOf(named: string = DEFAULT_DB, { cwd, env }: Io): string {
  if (!isDatabaseUrl(named)) return resolve(cwd, named);
  if (!holdsPassword(named) || named === env.WEBSITES_DB) return named;
  throw usageError(
    'The database URL in --db contains a password, which every user of this machine can see in the process list.',
    'Set it in WEBSITES_DB, and omit --db.',
  );
}

/**
 * The key of the variable, of the named file, or of the file beside the database. Where there is none of
 * them, and the database has keys already, there is nothing to add; else the file is made.
 */
async function keyOf(
  file: string | undefined,
  db: string,
  { env, cwd, err }: Io,
): Promise<{ value: string; origin: string } | undefined> {
  const own = file === undefined ? apiKeyFrom(env.WEBSITES_API_KEY, 'WEBSITES_API_KEY') : undefined;
  if (own !== undefined) return { value: own, origin: 'WEBSITES_API_KEY' };
  const path = file === undefined ? fileBeside(db) : resolve(cwd, file);
  if (file === undefined && (path === undefined || !existsSync(path)) && (await hasKeys(db)))
    return undefined;
  const read = file === undefined ? readRegularFile : readNamed;
  if (path !== undefined) return { value: await ensureKeyFile(path, err, read), origin: path };
  throw new WebsitesError('key-missing', 'The database has no API key yet.', {
    remedy: 'Create one with "websites serve keys create NAME", or pass one with --api-key-file.',
  });
}

function fileBeside(db: string): string | undefined {
  if (isDatabaseUrl(db)) return undefined;
  const { dir, name } = parse(db);
  return join(dir, `${name}.key`);
}

async function hasKeys(db: string): Promise<boolean> {
  if (!isDatabaseUrl(db) && !existsSync(db)) return false;
  return withStore(db, async (store) => (await store.listKeys(DEFAULT_ACCOUNT)).length > 0);
}
