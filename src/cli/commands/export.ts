import { dirname, resolve } from 'node:path';
import type { Config } from '../../config/load.ts';
import type { ChosenPins } from '../../config/read/targets.ts';
import { EXIT, type ExitCode, exitOf } from '../../model/errors.ts';
import type { Current } from '../../model/website.ts';
import { ifSet } from '../../planner/match.ts';
import { checkSelection, selected } from '../../planner/selection.ts';
import { inBatches } from '../../report/chunks.ts';
import { commonSettings, type Exported, exportOf } from '../../report/export/export.ts';
import { exportDocument } from '../../report/export/report.ts';
import { exportedYaml, type YamlHead, yamlFile } from '../../report/export/yaml.ts';
import { terminalText } from '../../report/media/terminal.ts';
import { withConnection } from '../../sync/connect.ts';
import { readAll } from '../../sync/records.ts';
import { usageError } from '../argv/flags.ts';
import { load, readPins } from '../files.ts';
import type { Io } from '../io/io.ts';
import { errOptions, showNotes } from '../io/output.ts';
import { refuseExisting, writeWhole } from '../io/write.ts';
import type { AnyFlags, Flags } from '../options.ts';
import { serviceSettings } from '../session.ts';
import { findSchema, openDestination, patternsAround, readExisting } from './destination.ts';

export default async function run(flags: Flags<'export'>, io: Io): Promise<ExitCode> {
  if (flags.force && flags.out === undefined)
    throw usageError('--force has no effect without --out.', 'Omit it.');
  checkUpdate(flags);
  if (flags.into !== undefined && flags.update)
    return (await import('./export-update.ts')).exportUpdate(flags.into, flags, io);
  if (flags.into !== undefined) return exportInto(flags.into, flags, io);
  await exportAll(flags, await readPins(flags, io), io);
  return EXIT.done;
}

function checkUpdate({ into, out, update, check, since }: Flags<'export'>): void {
  if (into !== undefined && out !== undefined)
    throw usageError('--into changes a file: it cannot be combined with --out.', 'Omit one of them.');
  if (update && into === undefined)
    throw usageError('--update needs --into.', 'Name the file to update: --into websites.yaml --update.');
  if (check && into === undefined)
    throw usageError('--check has no effect without --into.', 'Pass --into FILE, or omit it.');
  if (since !== undefined && !update)
    throw usageError('--since has no effect without --update.', 'Pass --into FILE --update, or omit it.');
}

/** Writes all records and returns their number. Throws `file-failed`, `list-incomplete` and what the service throws. */
export async function exportAll(
  flags: AnyFlags,
  config: Pick<Config, 'pins' | 'root'>,
  io: Io,
): Promise<number> {
  // Checked again at the end: the file may have been created meanwhile.
  await refuseExisting(flags, io.cwd);
  return withConnection(serviceSettings(flags, config, io), async (connection) => {
    const current = await readAll(connection, flags['allow-incomplete'] ?? false);
    const all = exportOf(current);
    const exported = narrowed(all, flags.domain, config);
    const head = await headOf(current, config.pins, flags, io);
    // Defaults come from all records: files of one configuration have the same defaults.
    const data = inBatches(yamlFile(head, commonSettings(all.websites), exported));
    if (flags.out === undefined) for (const text of data) io.out(text);
    else await writeWhole(flags.out, data, io.cwd, () => refuseExisting(flags, io.cwd));
    io.err(terminalText(exportDocument(exported, { out: flags.out }), errOptions(io)));
    return exported.websites.length;
  });
}

/** The part of an export that `domain` selects. */
function narrowed(all: Exported, domain: readonly string[] = [], { pins }: Pick<Config, 'pins'>): Exported {
  const selection = { domain, exclude: [], ...ifSet(pins) };
  checkSelection(selection);
  const part = <T extends { readonly domain: string }>(records: readonly T[]): readonly T[] =>
    selected(records, (record) => record.domain, selection);
  const { websites, unlisted, duplicates } = all;
  return { ...all, websites: part(websites), unlisted: part(unlisted), duplicates: part(duplicates) };
}

async function exportInto(into: string, flags: Flags<'export'>, io: Io): Promise<ExitCode> {
  const content = await readExisting(into, io);
  const config = await load({ ...flags, file: await patternsAround(into, flags.file, io) }, io);
  await showNotes(config, io);
  const destination = await openDestination(into, content, io);
  return withConnection(serviceSettings(flags, config, io), async (connection) => {
    const files = { ...config, defaults: config.outermost.settings };
    const current = await readAll(connection, flags['allow-incomplete'] ?? false, files);
    const exported = narrowed(exportOf(current, files), flags.domain, config);
    const { websites } = exported;
    const items = websites.map((website) => exportedYaml(website, files.defaults, destination.style));
    await destination.put(items, flags);
    const { check } = flags;
    io.err(terminalText(exportDocument(exported, { out: into, isAdded: true, check }), errOptions(io)));
    return exitOf({ changes: check && items.length > 0 });
  });
}

async function headOf(
  { complete }: Current,
  { target: _, ...own }: ChosenPins,
  flags: AnyFlags,
  io: Io,
): Promise<YamlHead> {
  const base = flags['base-url'] === io.env.WEBSITES_BASE_URL ? undefined : flags['base-url'];
  return {
    schema: await findSchema(dirname(resolve(io.cwd, flags.out ?? '-'))),
    comments: [
      'Website records as the service had them: "websites plan" shows what has changed since.',
      ...(complete ? [] : ['The service may not have returned all of its records: some may be missing.']),
    ],
    service: { ...own, ...(base === undefined ? {} : { base_url: base }) },
  };
}
