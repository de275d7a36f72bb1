import { EXIT } from '../../model/errors.ts';
import { IMPORT_FORMAT } from '../../model/import-report.ts';
import { PLAN_FORMAT } from '../../model/plan.ts';
import { RESULT_FORMAT } from '../../model/run.ts';
import { DOCTOR_FORMAT } from '../../report/doctor.ts';
import { ERROR_FORMAT } from '../../report/error.ts';
import { EVENT_FORMAT } from '../../report/event.ts';
import { jsonDocument } from '../../report/json.ts';
import { LIST_FORMAT } from '../../report/records.ts';
import { RUN_FORMAT } from '../../report/run-record.ts';
import { RUNS_FORMAT } from '../../report/runs.ts';
import { VALIDATION_FORMAT } from '../../report/validation.ts';
import { VERSION } from '../../sync/defaults.ts';
import { DOCUMENT_FORMAT_FLAG } from '../argv/shared-flags.ts';
import { defineCommand } from '../command.ts';

/** Of every document that a command prints. */
const FORMATS = [
  PLAN_FORMAT,
  RESULT_FORMAT,
  EVENT_FORMAT,
  ERROR_FORMAT,
  RUNS_FORMAT,
  RUN_FORMAT,
  LIST_FORMAT,
  IMPORT_FORMAT,
  DOCTOR_FORMAT,
  VALIDATION_FORMAT,
];

export default defineCommand({
  flags: {
    format: DOCUMENT_FORMAT_FLAG,
  },
  examples: [
    ['websites version', 'print the version'],
    ['websites version --format json', 'print it with the versions of all document formats'],
  ],
  async run({ format }, io) {
    const document = { version: VERSION, node: process.versions.node, formats: FORMATS };
    io.out(format === 'json' ? jsonDocument(document) : `websites ${VERSION}\n`);
    return EXIT.done;
  },
});
