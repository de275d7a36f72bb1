/**
 * A process that serves the database given as its argument to the key in SERVICE_KEY. It prints its address, and ends
 * on SIGTERM or with the process that started it.
 */
import { startService } from '../../src/server/server.ts';

const service = await startService({
  db: process.argv[2] ?? '',
  port: 0,
  key: process.env.SERVICE_KEY ?? '',
});
const end = () => void service.close().then(() => process.exit());
process.once('SIGTERM', end);
process.stdin.resume().once('end', end);
process.stdout.write(`${service.url}\n`);
