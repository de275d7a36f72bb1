import { once } from 'node:events';
import { join, parse, resolve } from 'node:path';
import { apiKeyFrom } from '../../model/api-key.ts';
import { EXIT } from '../../model/errors.ts';
import { ensureKeyFile } from '../../server/key.ts';
import { LOG_FORMATS, logLines } from '../../server/log.ts';
import { keepKey } from '../../util/key-filter.ts';
import { readNamed, readRegularFile } from '../../util/node/read-file.ts';
import type { FlagValues } from '../argv/flags.ts';
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
    describe: 'SQLite file with the records; a missing one is created',
    default: DEFAULT_DB,
  },
  'api-key-file': {
    type: 'string',
    completes: 'file',
    describe: 'File with the API key; without one, WEBSITES_API_KEY or a generated file',
  },
  'rate-limit': { type: 'number', describe: 'Requests per minute; 0 means no limit', default: '0' },
  log: {
    type: 'string',
    choices: LOG_FORMATS,
    describe: 'Log each request to standard error; failures are always logged',
    default: 'none',
  },
} as const;

export default defineCommand({
  flags: FLAGS,
  examples: [
    ['websites serve', 'serve on http://127.0.0.1:8080, with records in websites.db'],
    ['websites serve --port 0 --db try.db', 'serve on a free port'],
  ],
  async run(flags, io) {
    await serveUntilStopped(flags, io);
    return EXIT.done;
  },
});

/** Serves until it is interrupted; then answers what is under way and closes the database. */
async function serveUntilStopped(flags: FlagValues<typeof FLAGS>, io: Io): Promise<void> {
  const { host = DEFAULT_HOST, port = DEFAULT_PORT } = flags;
  const db = resolve(io.cwd, flags.db ?? DEFAULT_DB);
  const { checkPort, startService } = await import('../../server/server.ts');
  await checkPort(host, port);
  const key = await keyOf(flags['api-key-file'], db, io);
  keepKey(key.value);
  const service = await startService({
    db,
    host,
    port,
    key: key.value,
    log: logLines(flags.log ?? 'none', io.err),
    rateLimit: flags['rate-limit'] ?? 0,
  });
  const interrupts = takeInterrupts('Stopping: finishing requests in flight.');
  try {
    io.err(`Serving ${db} at ${service.url} (key: ${key.origin}). Ctrl-C stops it.\n`);
    await once(interrupts.signal, 'abort');
  } finally {
    interrupts.end();
    await service.close();
  }
}

/** The key of the variable, of the named file, or of the file next to the database, which is made if it is missing. */
async function keyOf(
  file: string | undefined,
  db: string,
  { env, cwd, err }: Io,
): Promise<{ value: string; origin: string }> {
  const own = file === undefined ? apiKeyFrom(env.WEBSITES_API_KEY, 'WEBSITES_API_KEY') : undefined;
  if (own !== undefined) return { value: own, origin: 'WEBSITES_API_KEY' };
  const { dir, name } = parse(db);
  const path = file === undefined ? join(dir, `${name}.key`) : resolve(cwd, file);
  const read = file === undefined ? readRegularFile : readNamed;
  return { value: await ensureKeyFile(path, err, read), origin: path };
}
