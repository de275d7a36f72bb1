/**
 * Applying in batches: a few changes first (the canary), then the rest so many at a time, each batch listed and
 * verified before the next one begins. A run without batches is a run in one.
 */
import type { Residual, RunEvent } from '../model/run.ts';
import type { Proof } from './checks/verify.ts';
import type { Execution, Executor, Task } from './executor.ts';

export interface BatchRule {
  /** So many changes come first, in a batch of their own. From 1 up. */
  readonly canary?: number | undefined;
  /** So many of the others make a batch; without it, all of them do. From 1 up. */
  readonly batchSize?: number | undefined;
}

export interface BatchOptions extends BatchRule {
  /** Failures do not end the run with their batch: something else counts them. */
  readonly goesOnAfterFailures: boolean;
  /** Verifies all that was carried out so far. */
  readonly prove: (execution: Execution) => Promise<Proof>;
  readonly emit: (event: RunEvent) => void;
}

interface Batch {
  readonly tasks: readonly Task[];
  readonly isCanary: boolean;
  /** Counted from 1. */
  readonly number: number;
  /** How many there are. */
  readonly of: number;
}

/** How things stand after a batch. */
interface Standing {
  /** What became of all changes so far, and the verification of those that were carried out. */
  readonly execution: Execution;
  readonly proof: Proof;
  readonly batch: Batch;
  /** Changes of this batch. */
  readonly failed: number;
}

/**
 * Carries everything out. A batch of which a change failed, or does not show on the service, is the last one;
 * the verification of the last one is that of the run. Throws only what is a bug.
 */
export async function executeInBatches(executor: Executor, options: BatchOptions) {
  const [first, ...others] = batchesOf(executor.tasks, options);
  let standing = await executeBatch(first, executor.sum(), executor, options);
  for (const batch of others) {
    const trouble = executor.isStopped() ? undefined : troubleAfter(standing, options);
    if (trouble !== undefined) executor.stop({ cause: 'batch', reason: stopText(standing.batch, trouble) });
    if (executor.isStopped()) break;
    standing = await executeBatch(batch, standing.execution, executor, options);
  }
  return { execution: withBatch(executor.sum(), standing.batch), proof: standing.proof };
}

async function executeBatch(
  batch: Batch,
  before: Execution,
  executor: Executor,
  { prove, emit }: BatchOptions,
): Promise<Standing> {
  const which = { batch: batch.number, batches: batch.of };
  const tell = batch.of > 1 ? emit : () => undefined;
  tell({ type: 'batch_started', ...which, changes: batch.tasks.length, canary: batch.isCanary });
  await executor.run(batch.tasks);
  const execution = executor.sum();
  const proof = await prove(execution);
  const done = execution.done.length - before.done.length;
  const failed = execution.failures.length - before.failures.length;
  const isShown = proof.converged !== null && ownOf(proof.residual).length === 0;
  if (isShown) tell({ type: 'batch_verified', ...which, done, failed });
  return { batch, execution, proof, failed };
}

function batchesOf(tasks: readonly Task[], { canary = 0, batchSize }: BatchRule): [Batch, ...Batch[]] {
  const first = tasks.slice(0, canary);
  const rest = cut(tasks.slice(first.length), batchSize);
  const parts = first.length > 0 ? [first, ...rest] : rest;
  const batchAt = (index: number): Batch => ({
    tasks: parts[index] ?? [],
    isCanary: index === 0 && first.length > 0,
    number: index + 1,
    of: parts.length,
  });
  return [batchAt(0), ...parts.slice(1).map((_, index) => batchAt(index + 1))];
}

/** How many batches so many changes make, by a BatchRule. */
export function countBatches(changes: number, canary = 0, batchSize = changes): number {
  const rest = Math.max(0, changes - canary);
  return Math.min(canary, 1) + Math.ceil(rest / Math.max(1, batchSize));
}

function cut<T>(items: readonly T[], size = items.length): readonly (readonly T[])[] {
  const parts: (readonly T[])[] = [];
  for (let at = 0; at < items.length; at += size) parts.push(items.slice(at, at + size));
  return parts;
}

/** Why no batch may follow, if none may. */
function troubleAfter(
  { proof, failed }: Standing,
  { goesOnAfterFailures }: BatchOptions,
): string | undefined {
  const { converged, residual, reason } = proof;
  if (failed > 0 && !goesOnAfterFailures) {
    return failed === 1 ? 'one change failed' : `${failed} changes failed`;
  }
  if (converged === null) return `it cannot be verified${reason === undefined ? '' : ` (${reason})`}`;
  const { size } = new Set(ownOf(residual).map(({ domain }) => domain));
  if (size === 0) return undefined;
  return size === 1 ? 'one record is not as it was sent' : `${size} records are not as they were sent`;
}

/** What an earlier run did is no matter of the batches: whoever goes on with it may know that it does not show. */
function ownOf(residual: readonly Residual[]): readonly Residual[] {
  return residual.filter(({ earlier }) => !earlier);
}

/** With the batch named, where it was too many failures that stopped the run: who counts them knows of none. */
function withBatch(execution: Execution, batch: Batch): Execution {
  const { stop } = execution;
  return stop?.cause === 'failures' && batch.of > 1
    ? { ...execution, stopped: stopText(batch, stop.reason) }
    : execution;
}

function stopText({ number, of, isCanary }: Batch, trouble: string): string {
  return `stopped after batch ${number} of ${of}${isCanary ? ' (canary)' : ''}: ${trouble}`;
}
