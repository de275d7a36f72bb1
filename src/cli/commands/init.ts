import { dirname, resolve } from 'node:path';
import { DEFAULT_FILE, findFileToAdd } from '../../config/files/files.ts';
import { shellWord } from '../../model/next-command.ts';
import { usageError } from '../argv/flags.ts';
import { programOf } from '../io/io.ts';
import { refuseExisting, writeWhole } from '../io/write.ts';
import type { CommandMain } from '../options.ts';

const STARTER = `version: 1
service:
  base_url: local   # the embedded service, or the URL of another one
defaults:
  privacy: private
websites:
  - example.com
  - domain: shop.example.com
    privacy: public
    exclude_params: [utm_source, utm_medium]
`;

export default (async ({ from, out = DEFAULT_FILE, force = false, ...flags }, io) => {
  if (flags.allowIncomplete && from === undefined)
    throw usageError('--allow-incomplete has no effect without --from.', 'Omit --allow-incomplete.');
  const known = await findFileToAdd(io.cwd);
  if (out === DEFAULT_FILE && dirname(known) === 'websites' && !force) {
    const remedy = `Pass --out ${known} to add a file to the directory, or --force.`;
    throw usageError('A new websites.yaml would be read instead of the directory websites/.', remedy);
  }
  const isFound = resolve(io.cwd, out) === resolve(io.cwd, DEFAULT_FILE);
  const plan = `${programOf(io.env)} plan${isFound ? '' : ` -f ${shellWord(out)}`}${io.nextFlags.service}\n`;
  const root = dirname(resolve(io.cwd, out));
  if (from !== undefined) {
    const { exportAll } = await import('./export.ts');
    const wanted = { ...flags, out, force, baseUrl: from };
    const count = await exportAll(wanted, { pins: {}, root }, io);
    io.err(`Next: ${count === 0 ? 'add websites to it, then: ' : ''}${plan}`);
    return;
  }
  await writeWhole(out, [STARTER], io.cwd, () => refuseExisting({ out, force }, io.cwd));
  io.out(`Wrote ${out}. Next: ${plan}`);
}) satisfies CommandMain<'init'>;
