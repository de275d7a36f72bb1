import { dirname, resolve } from 'node:path';
import { DEFAULT_FILE } from '../../config/files/files.ts';
import { EXIT } from '../../model/errors.ts';
import { shellWord } from '../../model/next-command.ts';
import { schemaLine } from '../../report/export/yaml.ts';
import { refuseExisting, writeWhole } from '../../sync/write-atomic.ts';
import { usageError } from '../argv/flags.ts';
import { FOLLOW_FLAGS, SERVICE_FLAGS, WRITTEN_FILE } from '../argv/shared-flags.ts';
import { defineCommand } from '../command.ts';
import { programOf } from './program.ts';
import { findSchema } from './schema-file.ts';

/** The file of docs/getting-started.md. */
const STARTER = `version: 1
service:
  base_url: local   # the embedded service; for another one, its URL
defaults:
  privacy: private
websites:
  - example.com
  - domain: shop.example.com
    privacy: public
    exclude_params: [utm_source, utm_medium]
`;

/** Where the service is, --from says. */
const { 'base-url': _, ...CONNECTION_FLAGS } = SERVICE_FLAGS;

export default defineCommand({
  flags: {
    from: {
      type: 'string',
      value: 'URL',
      describe: 'Service URL, or "local": write its records instead of an example',
    },
    out: { ...WRITTEN_FILE, describe: 'File to write', default: DEFAULT_FILE },
    force: { type: 'boolean', describe: 'Overwrite the file if it exists', approval: true },
    'allow-incomplete': {
      type: 'boolean',
      approval: true,
      describe: 'With --from: allow a list that may lack records',
    },
    ...CONNECTION_FLAGS,
    ...FOLLOW_FLAGS,
  },
  examples: [
    ['websites init', 'create websites.yaml to edit'],
    [
      'websites init --from https://analytics.example.com',
      'start from the records of a service; the API key is in WEBSITES_API_KEY',
    ],
  ],
  async run({ from, out = DEFAULT_FILE, force = false, ...flags }, io) {
    if (flags['allow-incomplete'] && from === undefined)
      throw usageError('--allow-incomplete has no effect without --from.', 'Omit it.');
    const isFound = resolve(io.cwd, out) === resolve(io.cwd, DEFAULT_FILE);
    const plan = `${programOf(io.env)} plan${isFound ? '' : ` -f ${shellWord(out)}`}${io.where.service}\n`;
    const root = dirname(resolve(io.cwd, out));
    if (from !== undefined) {
      const { exportAll } = await import('./export.ts');
      const wanted = { ...flags, format: 'yaml', out, force, 'base-url': from };
      const count = await exportAll(wanted, { pins: {}, root }, io);
      io.err(`Next: ${count === 0 ? 'add websites to it, then: ' : ''}${plan}`);
      return EXIT.done;
    }
    await writeWhole(out, [schemaLine(await findSchema(root)), STARTER], io.cwd, () =>
      refuseExisting({ out, force }, io.cwd),
    );
    io.out(`Wrote ${out}. Next: ${plan}`);
    return EXIT.done;
  },
});
