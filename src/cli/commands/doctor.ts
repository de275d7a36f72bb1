import { examine } from '../../client/doctor.ts';
import { EXIT, type ExitCode } from '../../model/errors.ts';
import { doctorDocument, doctorJson } from '../../report/doctor.ts';
import { terminalText } from '../../report/media/terminal.ts';
import { withConnection } from '../../sync/connect.ts';
import { readPins } from '../files.ts';
import type { Io } from '../io/io.ts';
import { outOptions } from '../io/output.ts';
import type { Flags } from '../options.ts';
import { serviceSettings } from '../session.ts';

export default async function run(flags: Flags<'doctor'>, io: Io): Promise<ExitCode> {
  const { pins, root } = await readPins(flags, io);
  // Only the address counts among the pins: the others are the findings.
  const { base_url, target } = pins;
  const named = { ...(base_url === undefined ? {} : { base_url }), ...(target ? { target } : {}) };
  return withConnection(serviceSettings(flags, { pins: named, root }, io), async (connection) => {
    const findings = await examine(connection.service);
    const isJson = flags.format === 'json';
    io.out(isJson ? doctorJson(findings) : terminalText(doctorDocument(findings), outOptions(io)));
    return EXIT.done;
  });
}
