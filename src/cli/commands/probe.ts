import { resolve } from 'node:path';
import { importLists } from '../../config/import/import.ts';
import { noFile } from '../../config/read/problems.ts';
import { EXIT } from '../../model/errors.ts';
import type { Skipped } from '../../model/import-report.ts';
import { type ProbeReport, VERDICT_NAMES } from '../../model/probe-report.ts';
import type { DesiredWebsite } from '../../model/website.ts';
import { checkSelection, idlePatterns, selected } from '../../planner/selection.ts';
import { probeCsv, probeHuman, probeJson, probeLine, probeSummary } from '../../render/probe.ts';
import { shownLine } from '../../render/sanitize.ts';
import { PROBE_CONCURRENCY, PROBE_TIMEOUT_MS } from '../../sync/defaults.ts';
import { type FlagValues, usageError } from '../argv/flags.ts';
import { FILE_FLAGS, PLAN_FLAGS, PROBE_FLAGS } from '../argv/shared-flags.ts';
import { type COMMON_FLAGS, defineCommand } from '../command.ts';
import type { Io } from '../io/io.ts';
import { errOptions, nothingRead, outOptions, showWarnings } from '../io/output.ts';
import { load, refuseTargetNames } from '../session/settings.ts';
import { LIST_FLAGS, readLists, readRenames } from './lists.ts';

const FLAGS = {
  file: { ...FILE_FLAGS.file, describe: 'Probe the websites of these configuration files' },
  'allow-path': FILE_FLAGS['allow-path'],
  target: FILE_FLAGS.target,
  ...LIST_FLAGS,
  domain: PLAN_FLAGS.domain,
  'look-for': { type: 'string', describe: 'Text to find in the HTML; tag managers are not run' },
  concurrency: {
    type: 'number',
    least: 1,
    most: 1000,
    describe: 'Look-ups and requests at a time',
    default: String(PROBE_CONCURRENCY),
  },
  timeout: {
    type: 'seconds',
    least: 0.001,
    most: 600,
    describe: 'Limit for one website',
    default: `${PROBE_TIMEOUT_MS / 1000}s`,
  },
  ...PROBE_FLAGS,
  'fail-on': {
    type: 'list',
    value: 'VERDICT,…',
    choices: VERDICT_NAMES,
    describe: 'Exit 2 if a website has one of these verdicts',
  },
  format: {
    type: 'string',
    choices: ['human', 'json', 'csv', 'ndjson'],
    describe: 'Format',
    default: 'human',
  },
} as const;

type Flags = FlagValues<typeof FLAGS & typeof COMMON_FLAGS>;

export default defineCommand({
  positional: '[LIST…]',
  flags: FLAGS,
  examples: [
    ['websites probe domains.txt', 'check which websites exist'],
    ['websites probe -f websites.yaml --fail-on no-dns,refused', 'exit 2 if a website is gone'],
    ['websites probe domains.txt --look-for "analytics.js" --format csv', 'look for a text in the HTML'],
    ['websites probe domains.txt --format ndjson', 'print each result as it is found'],
  ],
  async run(flags, io, args) {
    const selection = { domain: flags.domain ?? [], exclude: [] };
    checkSelection(selection);
    const { websites, skipped, www } = await (args.length > 0
      ? fromLists(args, flags, io)
      : fromFiles(flags, io));
    const idle = idlePatterns(selection, { websites }, { websites: [] }, www ?? 'distinct');
    showWarnings(
      idle.map((warning) => ({ ...warning, severity: 'warning' })),
      flags,
      io,
    );
    const chosen = selected(websites, ({ domain }) => domain, { ...selection, ...(www && { www }) });
    const { probeWebsites } = await import('./probing.ts');
    const streams = flags.format === 'ndjson';
    const results = await probeWebsites(chosen, flags, io, (result) => {
      if (streams) io.out(probeLine(result));
    });
    show({ results, skipped }, flags, io);
    const wanted: readonly string[] = flags['fail-on'] ?? [];
    return results.some(({ verdict }) => wanted.includes(verdict)) ? EXIT.changes : EXIT.done;
  },
});

interface ToProbe extends Pick<ProbeReport, 'skipped'> {
  readonly websites: readonly DesiredWebsite[];
  readonly www?: 'same' | 'distinct' | undefined;
}

/** As an import reads them. Throws what that throws. */
async function fromLists(names: readonly string[], flags: Flags, io: Io): Promise<ToProbe> {
  if (flags.file !== undefined)
    throw usageError('A list cannot be combined with --file.', 'Remove one of them.');
  const renames = readRenames(flags.map);
  const lists = await readLists(names, flags, io);
  const allowPaths = (flags['allow-path'] ?? []).map((path) => resolve(io.cwd, path));
  const sources = { folder: io.cwd, allowPaths };
  const { websites, skipped } = importLists(lists, { config: undefined, renames, settings: {}, sources });
  return { websites, skipped };
}

async function fromFiles(flags: Flags, io: Io): Promise<ToProbe> {
  const config = await load({ ...flags, 'state-folder': undefined }, io);
  showWarnings([...config.warnings, ...config.unmatched.map(noFile)], flags, io);
  if (config.files.length === 0) throw nothingRead(config.unmatched);
  refuseTargetNames(flags.domain ?? [], config);
  const skipped: Skipped[] = [];
  const websites = config.desired.websites.filter(({ state }) => state === 'present');
  return { websites, skipped, www: config.pins.www };
}

/** A table or a stream holds the results alone: the rest goes to standard error. */
function show(report: ProbeReport, flags: Flags, io: Io): void {
  const { format = 'human' } = flags;
  if (format === 'json') io.out(probeJson(report));
  else if (format === 'human') io.out(probeHuman(report, outOptions(flags, io)));
  else {
    const lines = format === 'csv' ? probeCsv(report) : [];
    for (const line of lines) io.out(io.outIsSeen ? shownLine(line) : line);
    io.err(probeSummary(report, errOptions(flags, io)));
  }
}
