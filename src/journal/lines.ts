/** Reading lines of a journal, and what to say where that fails. */
import type * as z from 'zod/mini';
import { WebsitesError } from '../model/errors.ts';
import { PLAN_FORMAT } from '../model/plan.ts';
import { otherVersion, USE_ITS_VERSION } from '../util/document-format.ts';
import { isObject, parseJson } from '../util/json.ts';
import { JOURNAL_FORMAT } from './schema.ts';

/** What is wrong with a line; `isForeign` where that is nothing but its version. */
export interface Flaw {
  readonly problem: string;
  readonly isForeign?: boolean;
}

/** The value of a line, or what is wrong with it. */
export function parseLine<T>(schema: z.ZodMiniType<T>, line: string): { value: T } | Flaw {
  const raw = parseJson(line);
  if (raw === undefined) return { problem: 'it is not valid JSON' };
  const result = schema.safeParse(raw);
  if (result.success) return { value: result.data };
  const other = otherVersion(raw, JOURNAL_FORMAT) ?? otherVersion(isObject(raw) && raw.plan, PLAN_FORMAT);
  if (other !== undefined) return { problem: other, isForeign: true };
  const [issue] = result.error.issues;
  const place = issue?.path.map(String).join('.') || 'it';
  return { problem: `${place}: ${issue?.message ?? 'unexpected'}` };
}

/** A newer version may write more in the same format than this one knows (docs/contributing/releasing.md). */
const MOVE_AWAY =
  'If a newer version wrote it, use that version. Otherwise move the file away: "websites plan" shows what is left to do.';

export function damaged(file: string, line: number, { problem, isForeign = false }: Flaw): WebsitesError {
  const what = isForeign ? 'of another version' : 'damaged';
  return new WebsitesError('file-failed', `The journal is ${what} at ${file}:${line}: ${problem}.`, {
    remedy: isForeign ? USE_ITS_VERSION : MOVE_AWAY,
    place: { file, line, column: 1 },
  });
}

export function unreadable(path: string, error: unknown): WebsitesError {
  return new WebsitesError('file-failed', `${path} cannot be read: ${(error as Error).message}.`, {
    remedy: 'Make it readable for this user.',
    cause: error,
  });
}
