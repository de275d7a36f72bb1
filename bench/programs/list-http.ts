/** The floor of a listing, with node:http: parses every page into a map by domain. */
import { Agent, get } from 'node:http';
import { listAll } from './list.ts';

const [port = '', parallelism = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(parallelism) });
const headers = { accept: 'application/json', authorization: 'Bearer bench' };

await listAll(
  (path) =>
    new Promise((resolve, reject) => {
      get({ agent, host: '127.0.0.1', port, path, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(Buffer.concat(chunks).toString()));
      }).on('error', reject);
    }),
  Number(parallelism),
);
agent.destroy();
