/** Writes the JSON Schema and the tables of the docs from the tables of keys and commands. */
import { readFileSync, writeFileSync } from 'node:fs';
import { schemaText } from '../src/config/schema/json-schema.ts';
import { RECORD_KEYS, SERVICE_KEYS } from '../src/config/schema/keys.ts';
import { layerRules, layerTable } from './layers.ts';
import { commandSections, exitReference } from './reference/commands.ts';
import { environmentReference } from './reference/environment.ts';
import { fileReference, groupReference, keyReference, targetReference } from './reference/keys.ts';
import { openApiText } from './reference/openapi.ts';

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

writeFileSync('.biome.layers.json', layerRules());
writeFileSync('docs/openapi.json', openApiText());
writeFileSync('schema/websites.schema.json', schemaText());
fill('docs/websites-yaml.md', {
  file: fileReference(),
  service: keyReference(SERVICE_KEYS),
  targets: targetReference(),
  group: groupReference(),
  fields: keyReference(RECORD_KEYS),
});
fill('docs/contributing/architecture.md', { layers: layerTable() });
fill('docs/commands.md', {
  exits: exitReference(),
  ...commandSections(),
  environment: environmentReference(),
});
