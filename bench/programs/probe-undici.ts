/** The floor of a probe, with undici: each name is looked up and its first address is asked, with nothing checked. */
import { promises } from 'node:dns';
import { Client } from 'undici';

const [server = '', count = '', concurrency = ''] = process.argv.slice(2);
const resolver = new promises.Resolver();
resolver.setServers([server]);

let next = 0;
let answered = 0;

async function work(): Promise<void> {
  for (let index = next++; index < Number(count); index = next++) {
    const name = `n${index}.example`;
    const [found] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    if (found.status === 'rejected') continue;
    const client = new Client(`http://${found.value[0]}`);
    try {
      const { body } = await client.request({
        method: 'GET',
        path: '/',
        headers: { host: name },
        reset: true,
      });
      await body.dump();
      answered += 1;
    } finally {
      await client.destroy();
    }
  }
}

await Promise.all(Array.from({ length: Number(concurrency) }, work));
console.log(answered);
