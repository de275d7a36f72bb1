import { EXIT, type ExitCode } from '../../model/errors.ts';
import { IMPORT_FORMAT } from '../../model/import-report.ts';
import { PLAN_FORMAT } from '../../model/plan.ts';
import { RESULT_FORMAT } from '../../model/run.ts';
import { DOCTOR_FORMAT } from '../../report/doctor.ts';
import { ERROR_FORMAT } from '../../report/errors.ts';
import { EVENT_FORMAT } from '../../report/events.ts';
import { jsonDocument } from '../../report/json.ts';
import { LIST_FORMAT } from '../../report/records.ts';
import { RUN_FORMAT, RUNS_FORMAT } from '../../report/runs.ts';
import { VALIDATION_FORMAT } from '../../report/validation.ts';
import { VERSION } from '../../sync/defaults.ts';
import type { Io } from '../io/io.ts';
import type { Flags } from '../options.ts';

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

export default async function run({ format }: Flags<'version'>, io: Io): Promise<ExitCode> {
  const document = { version: VERSION, node: process.versions.node, formats: FORMATS };
  io.out(format === 'json' ? jsonDocument(document) : `websites ${VERSION}\n`);
  return EXIT.done;
}
