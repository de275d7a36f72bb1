import { schemaText } from '../../config/schema/json-schema.ts';
import type { CommandMain } from '../options.ts';

export default (async (_flags, io) => {
  io.out(schemaText());
}) satisfies CommandMain<'schema'>;
