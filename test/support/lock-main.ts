/** A process that takes the lock at each path from its input, prints the result, and keeps it. */
import { createInterface } from 'node:readline';
import { takeLock } from '../../src/run/lock.ts';

process.stdout.write('ready\n');
for await (const path of createInterface(process.stdin)) {
  const outcome = await takeLock(path).then(
    () => 'held',
    (error: Error) => `refused: ${error.message}`,
  );
  process.stdout.write(`${outcome}\n`);
}
