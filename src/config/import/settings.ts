import { join } from 'node:path';
import { WebsitesError } from '../../model/errors.ts';
import type { Settings } from '../../model/field-table.ts';
import { openBulk } from '../bulk/bulk.ts';
import { mappingOf } from '../bulk/rows.ts';
import type { Allowed } from '../files/allowed-paths.ts';
import type { ConfigFile } from '../files/files.ts';
import type { ParsedDocument } from '../read/source.ts';
import { createSource } from '../read/source.ts';
import { type Scope, Spot } from '../read/spot.ts';
import { readSettings } from '../read/validate.ts';

/** The scope of a file that takes no variables and knows none. */
export function listScope(file: ConfigFile, document: ParsedDocument, sources: Allowed): Scope {
  return {
    file,
    document,
    secrets: { sources, book: { literals: new Map(), places: new Map() } },
    variables: { env: {}, secretNames: new Set() },
    problems: [],
  };
}

/**
 * Reads settings written like cells of a bulk file, by key. Relative paths start from `cwd`. Throws `usage`, without
 * any value of a secret.
 */
export function readImportSettings(
  texts: ReadonlyMap<string, string>,
  cwd: string,
  sources: Allowed,
): Settings {
  const map = mappingOf({ keys: [...texts.keys()], cells: [...texts.values()] });
  const { document } = openBulk(createSource('', ''), 'text', new Map());
  const scope = listScope({ path: '--default', absolute: join(cwd, '--default') }, document, sources);
  const settings = readSettings(new Spot(scope, [0]), map);
  const error = scope.problems.find(({ severity }) => severity === 'error');
  if (error === undefined) return settings;
  throw new WebsitesError('usage', `--default: ${error.message}.`, { remedy: error.remedy });
}
