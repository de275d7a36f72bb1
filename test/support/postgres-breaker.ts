/** A go-between for a PostgreSQL server on a socket, that breaks one connection at a chosen statement, or all go dead. */
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

const SOCKET = '.s.PGSQL.5432';

export interface Breaker {
  /** Where its socket is. */
  readonly folder: string;
  /** Breaks the next connection that says `word`; `arrives`: the server hears it, and nobody hears of that. */
  breakAt(word: string, arrives: boolean): void;
  /** From now on nothing goes through, and nothing ends, as when the server's machine is gone. */
  fallSilent(): void;
}

/** Starts one before the server whose socket is in `target`, until the test has finished. */
export async function startBreaker(target: string): Promise<Breaker> {
  const folder = await mkdtemp(join(tmpdir(), 'websites-breaker-'));
  let plan: { readonly word: string; readonly arrives: boolean } | undefined;
  const open = new Set<Socket>();
  let isSilent = false;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const database = connect(join(target, SOCKET));
    for (const socket of [client, database]) {
      open.add(socket);
      socket.on('error', () => {}).on('close', () => open.delete(socket));
    }
    client.on('data', (bytes) => {
      if (isSilent) return;
      const { word, arrives } = plan ?? { word: '', arrives: true };
      const breaks = word !== '' && bytes.includes(word);
      if (arrives || !breaks) database.write(bytes);
      if (!breaks) return;
      plan = undefined;
      client.destroy();
      // The server ends what is under way by itself.
      database.end();
    });
    database.on('data', (bytes) => client.write(bytes)).on('close', () => client.destroy());
    client.on('close', () => database.end());
    client.on('end', () => isSilent || client.end());
  });
  await new Promise<void>((listening) => server.listen(join(folder, SOCKET), listening));
  onTestFinished(async () => {
    server.close();
    for (const socket of open) socket.destroy();
    await rm(folder, { recursive: true, force: true });
  });
  return {
    folder,
    breakAt: (word, arrives) => {
      plan = { word, arrives };
    },
    fallSilent: () => {
      isSilent = true;
    },
  };
}
