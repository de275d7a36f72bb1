/** What the files pin of the service, for commands that need no records from them. */
import type { Config } from '../../config/load.ts';
import { WebsitesError } from '../../model/errors.ts';
import type { Io } from '../io/io.ts';
import { showNotes } from '../io/output.ts';
import { type FileFlags, load, rootOf } from './settings.ts';

/** Reads the files. Unless one is named, or a target that one declares, there need be none. Throws what load throws. */
export async function readPins(
  flags: FileFlags,
  io: Io,
  withoutRecords = false,
): Promise<Pick<Config, 'pins' | 'root'>> {
  const config = await loadIfAny(flags, io, withoutRecords);
  return config ?? { pins: {}, root: rootOf(flags, { root: io.cwd, pins: {} }, io) };
}

/** As readPins, with the whole configuration; `undefined` where there is none. */
export async function loadIfAny(
  flags: FileFlags,
  io: Io,
  withoutRecords = false,
): Promise<Config | undefined> {
  try {
    const config = await load(flags, io, withoutRecords);
    showNotes(config, io);
    return config;
  } catch (error) {
    const isMissing = error instanceof WebsitesError && error.code === 'config-missing';
    if (!isMissing || (flags.file ?? flags.target) !== undefined) throw error;
    return undefined;
  }
}
