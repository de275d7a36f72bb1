import { schemaText } from '../../config/schema/json-schema.ts';
import type { Run } from '../options.ts';

export default (async (_flags, io) => {
  io.out(schemaText());
}) satisfies Run<'schema'>;
