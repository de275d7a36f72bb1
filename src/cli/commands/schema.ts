import { schemaText } from '../../config/schema/json-schema.ts';
import { EXIT } from '../../model/errors.ts';
import { defineCommand } from '../command.ts';

export default defineCommand({
  flags: {},
  examples: [
    ['websites schema > websites.schema.json', 'write the schema for an editor (JSON Schema draft-07)'],
    [`websites schema | grep '"description"'`, 'show what each key means'],
  ],
  async run(_flags, io) {
    io.out(schemaText());
    return EXIT.done;
  },
});
