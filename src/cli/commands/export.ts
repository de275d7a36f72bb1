import { resolve } from 'node:path';
import { readCurrent } from '../../client/read-current.ts';
import { updateFile, type WhyWrong } from '../../config/edit/accept.ts';
import { acceptable, firstOther } from '../../config/edit/drift.ts';
import { findInsertion, insertInto } from '../../config/edit/insertion.ts';
import { type Config, loadConfig } from '../../config/load.ts';
import { readSource } from '../../config/read/source.ts';
import { type ExitCode, exitOf, WebsitesError } from '../../model/errors.ts';
import { namesIn } from '../../planner/match.ts';
import { checkSelection, idlePatterns, selection, wantedOf } from '../../planner/selection.ts';
import { warningOf } from '../../planner/warnings.ts';
import { commonSettings, type Exported, exportOf } from '../../report/export/export.ts';
import { acceptedDocument, exportDocument } from '../../report/export/report.ts';
import { recordYaml, WRITING, yamlFile } from '../../report/export/yaml.ts';
import { withConnection } from '../../sync/connect.ts';
import { readAll } from '../../sync/records.ts';
import { loadAtRevision } from '../../sync/since.ts';
import { usageError } from '../argv/flags.ts';
import { load, loadIfAny, loadOptions } from '../files.ts';
import type { Io } from '../io/io.ts';
import { print, showDocument, showWarnings } from '../io/output.ts';
import { refuseExisting, writeWhole } from '../io/write.ts';
import type { AnyFlags, CommandMain, Flags } from '../options.ts';
import { planOptions, serviceSettings } from '../settings.ts';
import { patternsAround, putFile, readDestination } from './destination.ts';

const NEEDS = [
  ['force', 'out'],
  ['update', 'into'],
  ['check', 'into'],
  ['since', 'update'],
] as const;

export default (async (flags, io) => {
  for (const [name, needed] of NEEDS) {
    if (flags[name] && !flags[needed])
      throw usageError(`--${name} has no effect without --${needed}.`, `Pass --${needed} too, or omit it.`);
  }
  if (flags.into !== undefined && flags.out !== undefined)
    throw usageError(
      '--into changes a file: it cannot be combined with --out.',
      'Omit one of the two flags.',
    );
  const { into } = flags;
  if (into !== undefined) {
    const before = await readDestination(into, io);
    if (before === undefined)
      throw new WebsitesError('config-missing', `File not found: ${into}.`, {
        remedy: 'Pass an existing file with --into, or write a new file with --out.',
      });
    const named = { ...flags, file: await patternsAround(into, flags.file, io) };
    if (!flags.update) return exportInto(into, named, before, io);
    return exportUpdate(into, named, before, io);
  }
  await exportAll(flags, await loadIfAny(flags, io), io);
}) satisfies CommandMain<'export'>;

const MADE = 'Website records as the service had them: "websites plan" shows what has changed since.';
const INCOMPLETE = 'The service may not have returned all of its records: some may be missing.';

/** Writes all records and returns their number. Throws `file-failed`, `list-incomplete` and errors of the service. */
export async function exportAll(flags: AnyFlags, config: Pick<Config, 'pins' | 'root'>, io: Io) {
  // Checked again before the write, because the file may be created meanwhile.
  await refuseExisting(flags, io.cwd);
  return withConnection(serviceSettings(config, flags, io), async (connection) => {
    const current = await readAll(connection, flags.allowIncomplete ?? false);
    const all = exportOf(current);
    const exported = narrowed(all, flags.domain, config);
    const { target: _, base_url, ...service } = config.pins;
    const base = flags.baseUrl ?? base_url;
    const isWritten = base === base_url || base !== io.env.WEBSITES_BASE_URL;
    const head = {
      comments: [MADE, ...(current.complete ? [] : [INCOMPLETE])],
      service: { ...(isWritten && { base_url: base }), ...service },
    };
    // Defaults are computed from all records, also with --domain, so that several exported files have the same
    // defaults.
    const data = yamlFile(head, commonSettings(all.websites), exported);
    if (flags.out === undefined) print(data, io);
    else await writeWhole(flags.out, data, io.cwd, () => refuseExisting(flags, io.cwd));
    showDocument(exportDocument(exported, { out: flags.out }), io);
    return exported.websites.length;
  });
}

/** Returns the records that `domain` selects. */
function narrowed(all: Exported, domain: readonly string[] = [], { pins }: Pick<Config, 'pins'>): Exported {
  const options = { domain, exclude: [], www: pins.www };
  checkSelection(options);
  const isSelected = selection(options);
  const part = <T extends { readonly domain: string }>(records: readonly T[]): readonly T[] =>
    records.filter((record) => isSelected(record.domain));
  const { websites, unlisted, duplicates } = all;
  return { ...all, websites: part(websites), unlisted: part(unlisted), duplicates: part(duplicates) };
}

async function exportInto(into: string, flags: Flags<'export'>, before: Buffer, io: Io): Promise<ExitCode> {
  const config = await load(flags, io);
  showWarnings(config.notes, io);
  const insertion = await findInsertion(readSource(into, before));
  return withConnection(serviceSettings(config, flags, io), async (connection) => {
    const defaults = config.outermost.settings;
    const current = await readAll(connection, flags.allowIncomplete ?? false, defaults);
    const exported = narrowed(exportOf(current, { ...config, defaults }), flags.domain, config);
    const items = exported.websites.map((website) => recordYaml(website, defaults, insertion.style));
    if (items.length > 0) await putFile(into, before, insertInto(insertion, items), flags, io);
    const { check } = flags;
    showDocument(exportDocument(exported, { out: into, isAdded: true, check }), io);
    return exitOf({ changes: check && items.length > 0 });
  });
}

/** Replaces values in files by those of the service (decision: "Accepted drift is written back in place"). */
async function exportUpdate(into: string, flags: Flags<'export'>, before: Buffer, io: Io) {
  const { domain, since, check = false } = flags;
  const files = loadOptions(flags, io);
  const loadWith = (bytes: Uint8Array): Promise<Config> => {
    const contents = new Map([[resolve(io.cwd, into), bytes]]);
    return loadConfig({ ...files, explains: true, contents });
  };
  const config = await loadWith(before);
  showWarnings(config.notes, io);
  const options = planOptions({ domain, since }, config);
  const earlier = since === undefined ? undefined : (await loadAtRevision(since, files)).files;
  checkSelection(options, [config.desired, earlier]);
  return withConnection(serviceSettings(config, flags, io), async (connection) => {
    const { desired } = config;
    const { service } = connection;
    const current = await readCurrent(service, await service.list(), wantedOf(desired, options), options);
    const idle = idlePatterns({ desired, current, rules: options }, namesIn(current, options));
    showWarnings(
      idle.map((fact) => ({ severity: 'warning', ...warningOf(fact, connection) })),
      io,
    );
    if (config.origin === undefined) throw new Error('The places of the records were not kept.');
    const whyWrong: WhyWrong = async (after, accepted) => {
      try {
        const other = firstOther(desired, (await loadWith(Buffer.from(after))).desired, accepted);
        return other && `cannot be written in place: ${other} would have other values`;
      } catch (error) {
        if (!(error instanceof WebsitesError)) throw error;
        return `cannot be written: ${error.problems[0]?.message ?? error.message}`;
      }
    };
    const drift = acceptable(desired, current, options, earlier);
    const update = await updateFile(drift, config.origin, resolve(io.cwd, into), WRITING, whyWrong);
    const { after } = update;
    if (after !== undefined) await putFile(into, before, [after], flags, io);
    showDocument(acceptedDocument({ ...update, into, check, complete: current.complete }), io);
    return exitOf({ changes: check && after !== undefined });
  });
}
