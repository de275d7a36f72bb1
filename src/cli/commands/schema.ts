import { schemaText } from '../../config/schema/json-schema.ts';
import { EXIT, type ExitCode } from '../../model/errors.ts';
import type { Io } from '../io/io.ts';
import type { Flags } from '../options.ts';

export default async function run(_flags: Flags<'schema'>, io: Io): Promise<ExitCode> {
  io.out(schemaText());
  return EXIT.done;
}
