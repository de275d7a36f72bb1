import { PLAN_FORMAT } from '../../model/plan.ts';
import { RESULT_FORMAT } from '../../model/run.ts';
import { FORMATS, jsonDocument } from '../../report/json.ts';
import { VERSION } from '../../sync/defaults.ts';
import type { CommandMain } from '../options.ts';

export default (async ({ format }, io) => {
  const formats = [PLAN_FORMAT, RESULT_FORMAT, ...Object.values(FORMATS)];
  const document = { version: VERSION, node: process.versions.node, formats };
  io.out(format === 'json' ? jsonDocument(document) : `websites ${VERSION}\n`);
}) satisfies CommandMain<'version'>;
