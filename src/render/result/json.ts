/** The result document `websites.result/1` (design, "Machine formats"). */
import type { Result } from '../../core/run.ts';
import { inKeyOrder, jsonDocument } from '../json.ts';

const RESULT_KEYS = [
  'format',
  'run',
  'undoes',
  'scope',
  'summary',
  'failures',
  'not_attempted',
  'resume',
  'stopped',
  'interrupted',
  'converged',
  'residual',
  'others',
  'partial',
  'notes',
  'requests',
  'seconds',
] as const satisfies readonly (keyof Result)[];

const SUMMARY_KEYS = ['created', 'updated', 'deleted', 'unchanged', 'failed', 'not_attempted'] as const;

/** The result as JSON text that parses to an equal value. */
export function resultJson(result: Result): string {
  const summary = inKeyOrder(result.summary, SUMMARY_KEYS);
  return jsonDocument(inKeyOrder({ ...result, summary }, RESULT_KEYS));
}
