import { EXIT } from '../../core/errors.ts';
import { PLAN_FORMAT } from '../../core/plan.ts';
import { RESULT_FORMAT } from '../../core/run.ts';
import { DOCTOR_FORMAT } from '../../render/doctor.ts';
import { EVENT_FORMAT } from '../../render/event.ts';
import { jsonDocument } from '../../render/json.ts';
import { VERSION } from '../../sync/version.ts';
import { defineCommand } from '../command.ts';
import { DOCUMENT_FORMAT_FLAG } from '../shared-flags.ts';

export default defineCommand({
  flags: {
    format: DOCUMENT_FORMAT_FLAG,
  },
  examples: [
    ['websites version', 'the version alone'],
    ['websites version --format json', 'with the versions of all formats'],
  ],
  async run({ format }, io) {
    const formats = [PLAN_FORMAT, RESULT_FORMAT, EVENT_FORMAT, DOCTOR_FORMAT];
    const document = { version: VERSION, node: process.versions.node, formats };
    io.out(format === 'json' ? jsonDocument(document) : `websites ${VERSION}\n`);
    return EXIT.done;
  },
});
