import { checkSelection } from '../../planner/selection.ts';
import { LIST_FORMATS, type ListFormat } from '../../report/records.ts';
import { prose, shownLine } from '../../report/sanitize.ts';
import { withConnection } from '../../sync/connect.ts';
import { listRecords } from '../../sync/records.ts';
import { usageError } from '../argv/flags.ts';
import { loadIfAny, refuseTargetNames } from '../files.ts';
import { outOptions, print } from '../io/output.ts';
import type { CommandMain } from '../options.ts';
import { serviceSettings } from '../settings.ts';

export default (async (flags, io, args) => {
  const domain = [...args, ...(flags.domain ?? [])];
  checkSelection({ domain, exclude: [] });
  const { desired, targetNames = [], pins, root } = await loadIfAny(flags, io);
  if (desired === undefined && flags.orphans) {
    throw usageError('--orphans needs a configuration.', 'Pass its files with -f.');
  }
  refuseTargetNames(domain, targetNames);
  await withConnection(serviceSettings({ pins, root }, flags, io), async (connection) => {
    const query = { domain, desired, www: pins.www };
    const { records: all, ...list } = await listRecords(connection, query);
    const records = flags.orphans ? all.filter(({ status }) => status === 'orphan') : all;
    const format = (flags.format ?? 'human') as ListFormat;
    const shown = { ...list, records, service: connection.identity.base_url };
    const pieces = LIST_FORMATS[format](shown, outOptions(io));
    print(format === 'csv' && io.outIsSeen ? Array.from(pieces, shownLine) : pieces, io);
    if (desired === undefined) io.err(NO_CONFIGURATION);
    const why = list.reason === undefined ? '' : `: ${prose(list.reason)}`;
    if (!list.complete) io.err(`Warning: The service may not have returned all of its records${why}.\n`);
  });
}) satisfies CommandMain<'list'>;

const NO_CONFIGURATION =
  'No configuration found, so it is not known which records it declares. Pass its files with -f.\n';
