/** A canary: a few changes are applied and verified first, and the others only if those are as they were sent. */
import type { RunEvent } from '../model/run.ts';
import type { Proof } from './checks/verify.ts';
import type { Execution, Executor, Task } from './executor.ts';

export interface CanaryRule {
  /** The number of changes to apply first, from 1 up. Without it, all of them. */
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
  const canary = executor.tasks.slice(0, options.canary);
  const others = executor.tasks.slice(canary.length);
  if (others.length === 0) return execute(executor.tasks, executor, options);
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
  const unverified = whyUnverified(proof);
  if (unverified === undefined) {
    options.emit({ type: 'canary_verified', done: execution.done.length, failed });
  }
  const failures = failed === 1 ? 'one change failed' : `${failed} changes failed`;
  const trouble = failed === 0 || options.goesOnAfterFailures ? unverified : failures;
  if (trouble !== undefined && !executor.isStopped()) {
    executor.stop({ cause: 'canary', reason: `stopped after the canary: ${trouble}` });
  }
  return standing;
}

/** Records of an earlier run are left out: they may have changed since. */
function whyUnverified({ converged, reason, residual }: Proof): string | undefined {
  if (converged === null) return `it cannot be verified${reason === undefined ? '' : ` (${reason})`}`;
  const { size } = new Set(residual.filter(({ earlier }) => !earlier).map(({ domain }) => domain));
  if (size === 0) return undefined;
  return size === 1 ? 'one record is not as it was sent' : `${size} records are not as they were sent`;
}
