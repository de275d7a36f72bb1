import { EXIT } from '../../model/errors.ts';
import { checkSelection } from '../../planner/selection.ts';
import { inBatches } from '../../report/chunks.ts';
import { LIST_FORMATS, type ListFormat } from '../../report/records.ts';
import { prose, shownLine } from '../../report/sanitize.ts';
import { withConnection } from '../../sync/connect.ts';
import { listRecords } from '../../sync/list-records.ts';
import { usageError } from '../argv/flags.ts';
import { FILE_FLAGS, PLAN_FLAGS, READ_FLAGS } from '../argv/shared-flags.ts';
import { defineCommand } from '../command.ts';
import { loadIfAny } from '../session/pins.ts';
import { refuseTargetNames, rootOf, serviceSettings } from '../session/settings.ts';

export default defineCommand({
  positional: '[PATTERN…]',
  completes: 'domain',
  flags: {
    ...READ_FLAGS,
    file: FILE_FLAGS.file,
    domain: PLAN_FLAGS.domain,
    orphans: { type: 'boolean', describe: 'Only records that are not in the configuration' },
    format: {
      type: 'string',
      choices: Object.keys(LIST_FORMATS),
      describe: 'Format',
      default: 'human',
    },
  },
  examples: [
    ['websites list', 'list every record, and where the configuration declares it'],
    ['websites list shop.example.com', 'look up one domain, without reading the others'],
    ['websites list "*.example.com" --format csv', 'list the matching records as a table'],
    ['websites list --orphans', 'list what the configuration does not declare'],
  ],
  async run(flags, io, args) {
    const domain = [...args, ...(flags.domain ?? [])];
    checkSelection({ domain, exclude: [] });
    const config = await loadIfAny(flags, io);
    if (config === undefined && flags.orphans) {
      throw usageError('--orphans needs a configuration.', 'Pass its files with -f.');
    }
    if (config !== undefined) refuseTargetNames(domain, config);
    const { pins, root } = config ?? { pins: {}, root: rootOf(flags, { root: io.cwd, pins: {} }, io) };
    return withConnection(serviceSettings(flags, { pins, root }, io), async (connection) => {
      const query = { domain, desired: config?.desired, www: pins.www };
      const { records: all, ...list } = await listRecords(connection, query);
      const records = flags.orphans ? all.filter(({ standing }) => standing === 'orphan') : all;
      const format = (flags.format ?? 'human') as ListFormat;
      const pieces = LIST_FORMATS[format]({ ...list, records, service: connection.identity });
      const mayShow = format === 'csv' && io.outIsSeen ? shownLines(pieces) : pieces;
      for (const text of inBatches(mayShow)) io.out(text);
      if (config === undefined) io.err(NO_CONFIGURATION);
      if (!list.complete) io.err(incompleteText(list.reason));
      return EXIT.done;
    });
  },
});

const NO_CONFIGURATION =
  'No configuration found, so it is not known which records it declares. Pass its files with -f.\n';

function incompleteText(reason: string | undefined): string {
  const why = reason === undefined ? '' : `: ${prose(reason)}`;
  return `Warning: The service may not have returned all of its records${why}.\n`;
}

function* shownLines(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield shownLine(line);
}
