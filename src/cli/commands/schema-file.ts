/** Where an editor finds the JSON Schema of the files. */
import { join } from 'node:path';
import { exists } from '../../config/files/disk.ts';

const SCHEMA_FILE = 'schema/websites.schema.json';

/** The schema from `folder`, where it lies in one of its usual places: in this package, or with it installed. */
export async function findSchema(folder: string): Promise<string | undefined> {
  for (const path of [`./${SCHEMA_FILE}`, `./node_modules/websites-as-code/${SCHEMA_FILE}`]) {
    if (await exists(join(folder, path))) return path;
  }
  return undefined;
}
