/** The floor of writes, with node:http: only sends the requests of a file, in parallel. */
import { Agent, request } from 'node:http';
import { sendAll } from './write.ts';

const [port = '', parallelism = '', file = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(parallelism) });

await sendAll(
  file,
  ({ method, path, body }, headers) =>
    new Promise((resolve, reject) => {
      const outgoing = request({ agent, host: '127.0.0.1', port, method, path, headers }, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    }),
  Number(parallelism),
);
agent.destroy();
