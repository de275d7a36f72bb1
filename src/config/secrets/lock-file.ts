/**
 * `websites.lock`: by which a password that was changed is noticed, and one that was not is not sent again.
 * It is meant to be committed: it holds fingerprints (fingerprint.ts), no secret.
 */
import { join } from 'node:path';
import * as z from 'zod/mini';
import { WebsitesError } from '../../model/errors.ts';
import { otherVersion, USE_ITS_VERSION } from '../../util/document-format.ts';
import { isObject, parseJson } from '../../util/json.ts';
import { readRegularFile } from '../../util/node/read-file.ts';
import { placeToWrite } from '../files/links.ts';

export const LOCK_FILE = 'websites.lock';

const FORMAT = 'websites.lock/1';

const entry = z.strictObject({ key: z.string(), fingerprint: z.string() });
/** With the passwords as pairs: as keys of a plain object, `__proto__` would be lost. */
const document = z.strictObject({
  format: z.literal(FORMAT),
  passwords: z.array(z.tuple([z.string(), entry])),
});

/** Which key the fingerprint was made with, and the fingerprint. */
export type LockEntry = Readonly<z.infer<typeof entry>>;

/** By domain. */
export type LockEntries = ReadonlyMap<string, LockEntry>;

/** The entries of the file in `folder`; `undefined` where there is none. Throws `file-failed`, also for a link that leads out. */
export async function readLockFile(folder: string): Promise<LockEntries | undefined> {
  const path = join(folder, LOCK_FILE);
  // Found out before anything is sent: it is written at the end.
  await placeToWrite(path, folder);
  const bytes = await readRegularFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw damaged(path, error.message);
  });
  if (bytes === undefined) return undefined;
  const text = bytes.toString();
  // An empty file is how somebody begins one.
  if (text.trim() === '') return new Map();
  const entries = parsed(path, text);
  const twice = doubled(text);
  if (twice !== undefined) {
    const remedy = `Remove both lines, then apply with "--domain ${twice} --resend-passwords".`;
    throw damaged(path, `${twice} is listed twice`, { remedy });
  }
  return entries;
}

function parsed(path: string, text: string): LockEntries {
  const raw = parseJson(text);
  const result = document.safeParse(
    isObject(raw) && isObject(raw.passwords) ? { ...raw, passwords: Object.entries(raw.passwords) } : raw,
  );
  if (result.success) return new Map(result.data.passwords);
  const other = otherVersion(raw, FORMAT);
  if (other !== undefined) throw damaged(path, other, { remedy: USE_ITS_VERSION });
  // A newer version may write more in the same format than this one knows (docs/contributing/releasing.md).
  const take =
    raw === undefined ? 'Restore' : 'If a newer version wrote it, use that version. Otherwise restore';
  throw damaged(path, 'its format is not valid', { remedy: fromGit(take) });
}

/**
 * The first website with two entries: a merge has left them, and neither tells which password was sent last. What could
 * be no declared domain is of no use to anybody, and has no place in a command that is printed.
 */
function doubled(text: string): string | undefined {
  const seen = new Set<string>();
  for (const [, domain = ''] of text.matchAll(/"(\w[\w.-]*)"\s*:\s*\{\s*"(?:key|fingerprint)"\s*:\s*"/g)) {
    if (seen.has(domain)) return domain;
    seen.add(domain);
  }
  return undefined;
}

/** The text of the file: one entry a line, by domain, so that revisions merge; `undefined` is none. */
export function lockFileText(entries: ReadonlyMap<string, LockEntry | undefined>): string {
  const lines = [...entries]
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([domain, value]) => `    ${JSON.stringify(domain)}: ${JSON.stringify(value)}`);
  const passwords = lines.length === 0 ? '{}' : `{\n${lines.join(',\n')}\n  }`;
  return `{\n  "format": ${JSON.stringify(FORMAT)},\n  "passwords": ${passwords}\n}\n`;
}

function fromGit(take: string): string {
  return `${take} it from Git, or empty it. Then every password counts as not checked.`;
}

function damaged(
  path: string,
  reason: string,
  { remedy = fromGit('Restore') }: { readonly remedy?: string } = {},
): WebsitesError {
  return new WebsitesError('file-failed', `${path} cannot be used: ${reason}.`, { remedy });
}
