/** Writes what is generated from the tables of keys and commands: the JSON Schema, and the tables in the docs. */
import { readFileSync, writeFileSync } from 'node:fs';
import { commandReference, commonFlagReference } from '../src/cli/reference.ts';
import { fieldReference, fileReference, serviceReference, targetReference } from '../src/config/reference.ts';
import { schemaText } from '../src/config/schema.ts';

/** Puts each text between the marks of its section. */
function fill(page: string, sections: Readonly<Record<string, string>>): void {
  const filled = Object.entries(sections).reduce(
    (text, [section, body]) => {
      const marks = new RegExp(`(<!-- ${section}:begin -->\\n)[\\s\\S]*(<!-- ${section}:end -->)`);
      if (!marks.test(text)) throw new Error(`${page} has no marks for ${section}.`);
      return text.replace(marks, (_, begin, end) => `${begin}${body}${end}`);
    },
    readFileSync(page, 'utf8'),
  );
  writeFileSync(page, filled);
}

writeFileSync('schema/websites.schema.json', schemaText());
fill('docs/yaml-reference.md', {
  file: fileReference(),
  service: serviceReference(),
  targets: targetReference(),
  fields: fieldReference(),
});
fill('docs/commands.md', { 'common-flags': commonFlagReference(), commands: await commandReference() });
