/** A canary: a few changes are applied and verified first, and the others only if those are as they were sent. */
import type { RunEvent } from '../model/run.ts';
import type { Proof } from './checks/verify.ts';
import type { Execution, Executor, Task } from './executor.ts';

export interface CanaryRule {
  /** The number of changes to apply first. From 1 up. */
  readonly canary?: number | undefined;
}

export interface CanaryOptions extends CanaryRule {
  /** A failed change does not stop the run: something else counts them. */
  readonly goesOnAfterFailures: boolean;
  /** Verifies everything carried out so far. */
  readonly prove: (execution: Execution) => Promise<Proof>;
  readonly emit: (event: RunEvent) => void;
}

/** How things stand once some changes were carried out and verified. */
interface Standing {
  readonly execution: Execution;
  readonly proof: Proof;
}

/** Carries everything out; the last verification is that of the run. Throws only what is a bug. */
export async function executeAfterCanary(executor: Executor, options: CanaryOptions): Promise<Standing> {
  const canary = executor.tasks.slice(0, options.canary ?? 0);
  const others = executor.tasks.slice(canary.length);
  if (canary.length === 0 || others.length === 0) return execute(executor.tasks, executor, options);
  const standing = await executeCanary(canary, executor, options);
  return executor.isStopped()
    ? { ...standing, execution: executor.sum() }
    : execute(others, executor, options);
}

async function execute(
  tasks: readonly Task[],
  executor: Executor,
  { prove }: CanaryOptions,
): Promise<Standing> {
  await executor.run(tasks);
  const execution = executor.sum();
  return { execution, proof: await prove(execution) };
}

/** Stops the executor if the others must not follow. */
async function executeCanary(
  tasks: readonly Task[],
  executor: Executor,
  options: CanaryOptions,
): Promise<Standing> {
  options.emit({ type: 'canary_started', changes: tasks.length });
  const standing = await execute(tasks, executor, options);
  const { execution, proof } = standing;
  const failed = execution.failures.length;
  if (proof.converged !== null && countOpen(proof) === 0) {
    options.emit({ type: 'canary_verified', done: execution.done.length, failed });
  }
  const trouble = troubleOf(proof, options.goesOnAfterFailures ? 0 : failed);
  if (trouble !== undefined && !executor.isStopped()) {
    executor.stop({ cause: 'canary', reason: `stopped after the canary: ${trouble}` });
  }
  return standing;
}

/** Why the others must not follow, or `undefined` if they may. */
function troubleOf(proof: Proof, failed: number): string | undefined {
  if (failed > 0) return failed === 1 ? 'one change failed' : `${failed} changes failed`;
  if (proof.converged === null) {
    return `it cannot be verified${proof.reason === undefined ? '' : ` (${proof.reason})`}`;
  }
  const open = countOpen(proof);
  if (open === 0) return undefined;
  return open === 1 ? 'one record is not as it was sent' : `${open} records are not as they were sent`;
}

/** Records of this run that are not as they were sent: what an earlier run did may have changed since. */
function countOpen({ residual }: Proof): number {
  return new Set(residual.filter(({ earlier }) => !earlier).map(({ domain }) => domain)).size;
}
