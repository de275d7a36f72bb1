import { examine } from '../../client/doctor.ts';
import { EXIT } from '../../model/errors.ts';
import { doctorHuman, doctorJson } from '../../report/doctor.ts';
import { withConnection } from '../../sync/connect.ts';
import { DOCUMENT_FORMAT_FLAG, READ_FLAGS } from '../argv/shared-flags.ts';
import { defineCommand } from '../command.ts';
import { outOptions } from '../io/output.ts';
import { readPins } from '../session/pins.ts';
import { serviceSettings } from '../session/settings.ts';

export default defineCommand({
  flags: {
    ...READ_FLAGS,
    format: DOCUMENT_FORMAT_FLAG,
  },
  examples: [
    ['websites doctor', 'examine the service that the configuration names'],
    [
      'websites doctor --base-url https://analytics.example.com',
      'without a configuration; the API key is in WEBSITES_API_KEY',
    ],
  ],
  async run(flags, io) {
    const { pins, root } = await readPins(flags, io);
    // Of all that is pinned, only where the service is: the rest is to be found out.
    const { base_url, target } = pins;
    const named = { ...(base_url === undefined ? {} : { base_url }), ...(target ? { target } : {}) };
    return withConnection(serviceSettings(flags, { pins: named, root }, io), async (connection) => {
      const findings = await examine(connection.service);
      io.out(flags.format === 'json' ? doctorJson(findings) : doctorHuman(findings, outOptions(io)));
      return EXIT.done;
    });
  },
});
