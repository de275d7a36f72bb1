import { examine } from '../../client/doctor.ts';
import type { ChosenPins } from '../../config/read/targets.ts';
import { doctorDocument, doctorJson } from '../../report/doctor.ts';
import { terminalText } from '../../report/media/terminal.ts';
import { withConnection } from '../../sync/connect.ts';
import { loadIfAny } from '../files.ts';
import { outOptions } from '../io/output.ts';
import type { CommandMain } from '../options.ts';
import { serviceSettings } from '../settings.ts';

export default (async (flags, io) => {
  const { pins, root } = await loadIfAny(flags, io);
  // Uses only the address in the file: the other service settings are what this command finds out.
  const { base_url, target } = pins;
  const named = { pins: { base_url, target } as ChosenPins, root };
  await withConnection(serviceSettings(named, flags, io), async (connection) => {
    const findings = await examine(connection.service, connection.factText);
    const isJson = flags.format === 'json';
    io.out(isJson ? doctorJson(findings) : terminalText(doctorDocument(findings), outOptions(io)));
  });
}) satisfies CommandMain<'doctor'>;
