import { once } from 'node:events';
import { join, parse, resolve } from 'node:path';
import { apiKeyFrom } from '../../model/secret.ts';
import { ensureKeyFile } from '../../server/key.ts';
import { logLines } from '../../server/log.ts';
import { keepKey } from '../../util/key-filter.ts';
import { readNamed, readRegularFile } from '../../util/node/read-file.ts';
import { takeInterrupts } from '../io/interrupt.ts';
import type { Io } from '../io/io.ts';
import type { CommandMain } from '../options.ts';

/** Runs the service until it is interrupted. Then finishes requests in flight and closes the database. */
export default (async (flags, io) => {
  const { host = '127.0.0.1', port = 8080 } = flags;
  const db = resolve(io.cwd, flags.db ?? 'websites.db');
  const { checkPort, startService } = await import('../../server/server.ts');
  await checkPort(host, port);
  const key = await keyOf(flags.apiKeyFile, db, io);
  keepKey(key.value);
  const service = await startService({
    db,
    host,
    port,
    key: key.value,
    log: logLines(flags.log ?? 'none', io.err),
    rateLimit: flags.rateLimit ?? 0,
  });
  const interrupts = takeInterrupts();
  try {
    io.err(`Serving ${db} at ${service.url} (key: ${key.origin}). Ctrl-C stops it.\n`);
    await once(interrupts.signal, 'abort');
  } finally {
    interrupts.end();
    await service.close();
  }
}) satisfies CommandMain<'serve'>;

/**
 * Returns the API key from the environment variable, the named file, or the file next to the database. Creates the
 * file next to the database if it is missing.
 */
async function keyOf(file: string | undefined, db: string, { env, cwd, err }: Io) {
  const own = file === undefined ? apiKeyFrom(env.WEBSITES_API_KEY, 'WEBSITES_API_KEY') : undefined;
  if (own !== undefined) return { value: own, origin: 'WEBSITES_API_KEY' };
  const { dir, name } = parse(db);
  const path = resolve(cwd, file ?? join(dir, `${name}.key`));
  const read = file === undefined ? readRegularFile : readNamed;
  return { value: await ensureKeyFile(path, err, read), origin: path };
}
