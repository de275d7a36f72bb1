import { dirname, extname, resolve } from 'node:path';
import { BULK_FORMATS, type BulkFormat, formatOf, KNOWN_EXTENSIONS } from '../../config/bulk/bulk.ts';
import { BULK_KEYS, plainName, type Renames } from '../../config/bulk/columns.ts';
import { findInsertion, insertInto } from '../../config/edit/insertion.ts';
import { findFileToAdd, readNamedFile } from '../../config/files/files.ts';
import {
  type Imported,
  type ImportList,
  importLists,
  readImportSettings,
} from '../../config/import/import.ts';
import { type Config, loadConfig, noFile } from '../../config/load.ts';
import { below, inheritedOf } from '../../config/read/records.ts';
import { readSource } from '../../config/read/source.ts';
import { chooseTarget } from '../../config/read/targets.ts';
import { GROUP_KEY } from '../../config/schema/keys.ts';
import { exitOf } from '../../model/errors.ts';
import { nextFlagsOf, scopeFlags, shellWord } from '../../model/next-command.ts';
import { groupYaml, type RecordStyle, recordYaml, yamlFile } from '../../report/export/yaml.ts';
import { importDocument } from '../../report/import-report.ts';
import { documentJson } from '../../report/json.ts';
import { trimPlain } from '../../util/look-alikes.ts';
import { unfit, usageError } from '../argv/flags.ts';
import { loadOptions } from '../files.ts';
import { type Io, programOf } from '../io/io.ts';
import { showDocument, showWarnings } from '../io/output.ts';
import type { CommandMain, Flags } from '../options.ts';
import { patternsAround, putFile, readDestination } from './destination.ts';

export default (async (flags, io, args) => {
  const into = flags.into ?? (await findFileToAdd(io.cwd));
  const settingTexts = pairsOf('default', flags.default);
  const renames = readRenames(flags.map);
  const lists = await readLists(args, flags, io);
  const folder = dirname(resolve(io.cwd, into));
  const sources = { folder, allowPaths: (flags.allowPath ?? []).map((path) => resolve(io.cwd, path)) };
  const settings = readImportSettings(settingTexts, io.cwd, sources);
  const existing = await readDestination(into, io);
  const config = await loadExisting(into, existing !== undefined, flags, io);
  const { inherited: outer, path, made } = placeIn(config, flags.group, into, io);
  const around = below(outer, settings, outer.group);
  // Defaults apply to all files of a configuration, so an import writes them only into the first file.
  const newDefaults = config === undefined ? settings : {};
  const start = existing ?? Buffer.from([...yamlFile({}, newDefaults)].join(''));
  const insertion = await findInsertion(readSource(into, start), path);
  const imported = importLists(lists, { config, around, renames, sources });
  const { websites, ...found } = flags.checkDns ? await withoutMissing(imported, flags.dns) : imported;
  const refused = flags.strict === true && found.skipped.length > 0;
  const defaults = { ...outer.settings, ...newDefaults };
  const records = websites.map((website) => recordYaml(website, defaults, insertion.style));
  const items = refused ? [] : inGroup(records, made, insertion.style);
  const written =
    items.length > 0 && (await putFile(into, existing, insertInto(insertion, items), flags, io));
  const isThere = !refused && !flags.check && (existing !== undefined || written);
  const next = isThere ? await nextStep(into, config, flags, io) : { next: null };
  const report = { into, written, refused, ...next, added: websites.length, ...found };
  if (flags.format === 'json') io.out(documentJson('import', report));
  else showDocument(importDocument(report), io);
  // If there was no file and nothing to add, there is nothing to plan, so the import failed.
  return exitOf({ error: refused || (existing === undefined && websites.length === 0) });
}) satisfies CommandMain<'import'>;

/** Throws `usage` for an invalid name, and for a group of another file, whose defaults would not apply in `into`. */
function placeIn(config: Config | undefined, name: string | undefined, into: string, { cwd }: Io) {
  const outermost = { inherited: config?.outermost ?? inheritedOf({}), path: [], made: name };
  if (name === undefined) return outermost;
  const { error } = GROUP_KEY.schema.safeParse(name);
  if (error !== undefined) throw unfit('--group', name, `It ${error.issues[0]?.message}.`);
  const group = config?.groups.get(name);
  if (group === undefined) return outermost;
  const { path, absolute } = group.file;
  if (absolute === resolve(cwd, into)) return { ...group, made: undefined };
  throw usageError(`The group ${name} is in ${path}.`, `Pass --into ${shellWord(path)}.`);
}

function inGroup(
  records: readonly string[],
  name: string | undefined,
  style: RecordStyle,
): readonly string[] {
  return name === undefined || records.length === 0 ? records : [groupYaml(name, records, style)];
}

async function withoutMissing(imported: Imported, server: string | undefined) {
  const { checkDns } = await import('../../config/import/check-dns.ts');
  const { websites, missing, notChecked } = await checkDns(imported.websites, server);
  return { ...imported, websites, skipped: [...imported.skipped, ...missing], not_checked: notChecked };
}

async function loadExisting(into: string, isThere: boolean, flags: Flags<'import'>, io: Io) {
  const isOther = (file: string): boolean => resolve(io.cwd, file) !== resolve(io.cwd, into);
  const around = await patternsAround(into, flags.file, io, false);
  const patterns = isThere ? around : around.filter(isOther);
  const { allowPath, target } = flags;
  if (patterns.length === 0) {
    chooseTarget([], target);
    return undefined;
  }
  const config = await loadConfig(loadOptions({ allowPath, target, file: patterns }, io));
  showWarnings(config.unmatched.map(noFile), io);
  return config;
}

async function nextStep(
  into: string,
  config: Config | undefined,
  { file = [], target }: Flags<'import'>,
  io: Io,
) {
  const isInto = (path: string): boolean => resolve(io.cwd, path) === resolve(io.cwd, into);
  const isFound = file.length === 0 && isInto(await findFileToAdd(io.cwd));
  const nextFlags = nextFlagsOf({ file: isFound ? [] : [into, ...file.filter((path) => !isInto(path))] });
  const isKnown = config?.pins.base_url !== undefined || Boolean(io.env.WEBSITES_BASE_URL);
  return {
    next: `${programOf(io.env)} plan${scopeFlags({ target }, nextFlags)}`,
    unset: isKnown ? undefined : `set service.base_url in ${into}, or WEBSITES_BASE_URL`,
  };
}

function readLists(names: readonly string[], flags: Flags<'import'>, io: Io): Promise<ImportList[]> {
  return Promise.all(
    names.map(async (path) => ({
      file: { path, absolute: resolve(io.cwd, path) },
      format: flags.fromFormat ?? formatOfName(path),
      bytes: await readNamedFile(path, resolve(io.cwd, path), io.stdin),
    })),
  );
}

function formatOfName(path: string): BulkFormat {
  const format = extname(path) === '' ? 'text' : formatOf(path);
  if (format !== undefined) return format;
  if (/\.(?:xlsx?|ods)$/i.test(path))
    throw usageError(
      `${path} is a spreadsheet.`,
      'Export the sheet as CSV in UTF-8, and import the CSV file.',
    );
  throw usageError(
    `Cannot tell the format of ${path} from its extension.`,
    `Name a file, or - for standard input. Pass --from-format ${BULK_FORMATS.join('|')}. Known extensions: ${KNOWN_EXTENSIONS}.`,
  );
}

const PAIRS = {
  map: { form: /^([^=]+)=(.*)$/s, example: '--map "Site URL=domain"', keyOf: plainName },
  default: { form: /^([^=]+)=(.+)$/s, example: '--default privacy=private', keyOf: trimPlain },
};

/** Errors omit the value, because it may be a secret. */
function pairsOf(flag: keyof typeof PAIRS, texts: readonly string[] = []) {
  const { form, example, keyOf } = PAIRS[flag];
  const pairs = new Map<string, string>();
  for (const text of texts) {
    const [, name = '', value = ''] = form.exec(text) ?? [];
    const key = keyOf(name);
    if (key === '') throw usageError(`--${flag} needs NAME=VALUE.`, `Write it as ${example}.`);
    if (pairs.has(key)) throw usageError(`--${flag} ${name} is given twice.`, 'Give it once.');
    pairs.set(key, trimPlain(value));
  }
  return pairs;
}

function readRenames(texts: readonly string[] | undefined): Renames {
  const keys = [...pairsOf('map', texts)];
  const unknown = keys.find(([, key]) => key !== '' && !BULK_KEYS.includes(key));
  if (unknown !== undefined) {
    throw usageError(
      `Unknown key for --map: ${JSON.stringify(unknown[1])}.`,
      `The keys are ${BULK_KEYS.join(', ')}.`,
    );
  }
  return new Map(keys.map(([column, key]) => [column, key || undefined]));
}
