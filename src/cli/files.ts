import { resolve } from 'node:path';
import { type Config, type ConfigOptions, loadConfig } from '../config/load.ts';
import { WebsitesError } from '../model/errors.ts';
import type { Host } from '../sync/connect.ts';
import { usageError } from './argv/flags.ts';
import type { Io } from './io/io.ts';
import { showWarnings } from './io/output.ts';
import type { AnyFlags } from './options.ts';

export async function load(flags: AnyFlags, io: Host, withoutRecords = false): Promise<Config> {
  return loadConfig({ ...loadOptions(flags, io), withoutRecords });
}

type ConfigOrRoot = Partial<Config> & Pick<Config, 'pins' | 'root'>;

/**
 * Loads files and shows warnings. If no file and no target is named, and no default file exists, returns only the
 * root directory.
 */
export async function loadIfAny(flags: AnyFlags, io: Io, withoutRecords = false): Promise<ConfigOrRoot> {
  try {
    const config = await load(flags, io, withoutRecords);
    showWarnings(config.notes, io);
    return config;
  } catch (error) {
    const isMissing = error instanceof WebsitesError && error.code === 'config-missing';
    if (!isMissing || (flags.file ?? flags.target) !== undefined) throw error;
    return { pins: {}, root: resolve(io.cwd, flags.stateFolder ?? '') };
  }
}

export function loadOptions(
  { file: patterns = [], allowPath: allowPaths, stateFolder, target }: AnyFlags,
  { cwd, env, stdin }: Host,
): ConfigOptions {
  return { patterns, cwd, env, stdin, allowPaths, stateFolder, target };
}

export function refuseTargetNames(patterns: readonly string[], names: readonly string[]): void {
  const target = patterns.find((pattern) => names.includes(pattern));
  if (target === undefined) return;
  throw usageError(`"${target}" is a target, not a domain.`, `Pass --target ${target} to choose the target.`);
}
