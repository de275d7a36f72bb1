/** The floor of a listing, with undici. */
import { Pool } from 'undici';
import { listAll } from './list.ts';

const [port = '', parallelism = ''] = process.argv.slice(2);
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: Number(parallelism) });
const headers = { accept: 'application/json', authorization: 'Bearer bench' };

await listAll(async (path) => {
  const { body } = await pool.request({ method: 'GET', path, headers });
  return body.text();
}, Number(parallelism));
await pool.close();
