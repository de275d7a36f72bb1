import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Holding, Tally } from '../programs/service.ts';

export interface BenchService {
  readonly port: number;
  readonly url: string;
  /** Sets its records, and resets the tally. */
  hold(holding: Holding): Promise<void>;
  tally(): Promise<Tally>;
  stop(): Promise<void>;
}

export async function startService(program: string): Promise<BenchService> {
  const child = spawn(process.execPath, ['--max-old-space-size=8192', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(line.toString());
  const url = `http://127.0.0.1:${port}`;
  const ask = async (init?: RequestInit): Promise<unknown> => {
    const answer = await fetch(`${url}/bench`, init);
    return answer.json();
  };
  return {
    port,
    url,
    async hold(holding) {
      await ask({ method: 'PUT', body: JSON.stringify(holding) });
    },
    tally: async () => (await ask()) as Tally,
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
