/** Sends the writes of a file through `send`, in parallel and in order. */
import { readFileSync } from 'node:fs';
import type { Write } from './service.ts';

const HEADERS = {
  accept: 'application/json',
  authorization: 'Bearer bench',
  'content-type': 'application/x-www-form-urlencoded',
};

export async function sendAll(
  file: string,
  send: (write: Write, headers: Record<string, string>) => Promise<number>,
  parallelism: number,
): Promise<void> {
  const writes = (JSON.parse(readFileSync(file, 'utf8')) as Write[])[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (const write of writes) {
      const status = await send(write, HEADERS);
      if (status >= 300) throw new Error(`${write.method} ${write.path}: ${status}`);
    }
  };
  await Promise.all(Array.from({ length: parallelism }, work));
}
