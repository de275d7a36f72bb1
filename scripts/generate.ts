/** Writes what is generated from the field table: the committed JSON Schema, and the table in the README. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fieldReference, serviceReference } from '../src/config/reference.ts';
import { schemaText } from '../src/config/schema.ts';

/** Puts `text` between the marks of a section. */
function fill(readme: string, section: string, text: string): string {
  const marks = new RegExp(`(<!-- ${section}:begin -->\\n)[\\s\\S]*(<!-- ${section}:end -->)`);
  return readme.replace(marks, (_, begin, end) => `${begin}${text}${end}`);
}

const readme = readFileSync('README.md', 'utf8');
writeFileSync('README.md', fill(fill(readme, 'service', serviceReference()), 'fields', fieldReference()));
writeFileSync('schema/websites.schema.json', schemaText());
