import { dirname, resolve } from 'node:path';
import type { Problem } from '../../model/errors.ts';
import { sha256 } from '../../util/node/sha256.ts';
import { type ConfigFile, wayTo } from '../files/files.ts';
import { type FileSources, readAllowed, realPath } from '../files/paths.ts';
import { isFrom, isGroup } from '../read/records.ts';
import { decodeSource, type FileDocument, type Finding, isMap } from '../read/source.ts';
import { MAX_NESTED_GROUPS } from '../schema/keys.ts';
import type { Bulk } from './bulk.ts';
import type { readRows } from './row-reader.ts';

/** Matches `env:NAME` in a cell, and `"env": "NAME"` in JSON. */
const SECRET_VARIABLE = /\benv"?\s*:\s*"?([A-Za-z_]\w*)/g;
const ESCAPE = /\\u([0-9a-f]{4})/gi;

export interface BulkFile {
  readonly file: ConfigFile;
  readonly digest: string;
  readonly bulk: Bulk;
  readonly readRows: typeof readRows;
}

export type BulkFiles = Awaited<ReturnType<typeof openBulkFiles>>;

/**
 * Opens the named files. They must be in the directory of the configuration or in a directory of `WEBSITES_ALLOW_PATH`
 * (decision: "Configuration files are not trusted"). Displayed paths are relative to `cwd`.
 */
export async function openBulkFiles(documents: readonly FileDocument[], sources: FileSources, cwd: string) {
  const pathOf = (yaml: ConfigFile, from: string): string => resolve(dirname(yaml.absolute), from);
  const named = documents.flatMap(({ file, document }) =>
    fromsIn(isMap(document.value) ? document.value.websites : undefined).map((from) => pathOf(file, from)),
  );
  const opened = new Map<string, BulkFile | Problem | Finding>();
  for (const path of new Set(named)) opened.set(path, await open(path, sources, cwd));
  const files = [...opened.values()].filter((one): one is BulkFile => 'bulk' in one);
  return {
    files,
    find: (yaml: ConfigFile, from: string): BulkFile | Problem | Finding =>
      opened.get(pathOf(yaml, from)) ?? { message: 'a file name cannot contain variables' },
    /** Names of environment variables that contain, or may contain, secrets. */
    secretNames: () =>
      files.flatMap(({ bulk }) => {
        const { text } = bulk.document.source;
        const plain = text.replace(ESCAPE, (_, code: string) =>
          String.fromCharCode(Number.parseInt(code, 16)),
        );
        return Array.from(plain.matchAll(SECRET_VARIABLE), ([, name = '']) => name);
      }),
  };
}

function fromsIn(websites: unknown, depth = 0): string[] {
  return (Array.isArray(websites) ? websites : [websites]).flatMap((item: unknown) => {
    const own = isFrom(item) && typeof item.from === 'string' ? [item.from] : [];
    if (!isGroup(item) || depth === MAX_NESTED_GROUPS) return own;
    return [...own, ...fromsIn(item.websites, depth + 1)];
  });
}

async function open(path: string, sources: FileSources, cwd: string): Promise<BulkFile | Problem | Finding> {
  const file: ConfigFile = { path: wayTo(path, cwd), absolute: path };
  // Loaded on demand, because most configurations have no bulk file.
  const { formatOf, KNOWN_EXTENSIONS, openBulk } = await import('./bulk.ts');
  const format = formatOf(path);
  const bytes = format === undefined ? undefined : await readAllowed(path, sources);
  if (bytes !== undefined && 'message' in bytes) return bytes;
  // A file of an unknown format may contain secrets, so nothing of it is shown. The real path is checked, too,
  // because a link may have any extension.
  if (format === undefined || bytes === undefined || formatOf(realPath(sources.readAt(path))) === undefined)
    return {
      message: 'unknown file extension',
      remedy: `Use a file with one of these extensions: ${KNOWN_EXTENSIONS}.`,
    };
  const source = decodeSource(file.path, bytes);
  if (!('text' in source)) return source;
  const { readRows } = await import('./row-reader.ts');
  return { file, digest: sha256(bytes), bulk: openBulk(source, format, new Map()), readRows };
}
