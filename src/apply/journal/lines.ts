/** Reading lines of a journal, and what to say where that fails. */
import type * as z from 'zod/mini';
import { WebsitesError } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';

/** The value of a line, or what is wrong with it. */
export function parseLine<T>(schema: z.ZodMiniType<T>, line: string): { value: T } | { problem: string } {
  const raw = parseJson(line);
  if (raw === undefined) return { problem: 'it is no JSON' };
  const result = schema.safeParse(raw);
  if (result.success) return { value: result.data };
  const [issue] = result.error.issues;
  const place = issue?.path.map(String).join('.') || 'it';
  return { problem: `${place}: ${issue?.message ?? 'unexpected'}` };
}

export function damaged(file: string, line: number, problem: string): WebsitesError {
  return new WebsitesError('file-failed', `The journal is damaged at ${file}:${line}: ${problem}.`, {
    remedy: 'Move the file away; "websites plan" shows what is left to do.',
    place: { file, line, column: 1 },
  });
}

export function unreadable(path: string, error: unknown): WebsitesError {
  return new WebsitesError('file-failed', `${path} cannot be read: ${(error as Error).message}.`, {
    remedy: 'Make it readable for whoever runs this.',
    cause: error,
  });
}
