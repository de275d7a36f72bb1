/** The floor of writes, with undici. */
import { Pool } from 'undici';
import { sendAll } from './write.ts';

const [port = '', parallelism = '', file = ''] = process.argv.slice(2);
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: Number(parallelism) });

await sendAll(
  file,
  async ({ method, path, body }, headers) => {
    const content = body === '' ? {} : { body };
    const answer = await pool.request({ method: method as 'POST', path, headers, ...content });
    await answer.body.dump();
    return answer.statusCode;
  },
  Number(parallelism),
);
await pool.close();
