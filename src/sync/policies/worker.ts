/** The worker of run.ts: a bundle of its own, which the build puts there as a text. */
import { parentPort, workerData } from 'node:worker_threads';
import { judge } from '../../planner/policies/judge.ts';
import type { Task } from './run.ts';

const { rules, subjects, variables, at }: Task = workerData;
parentPort?.postMessage(judge(rules, subjects, variables, (rule) => Atomics.store(at, 0, rule)));
