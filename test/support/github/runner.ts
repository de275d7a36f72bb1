/**
 * Runs the jobs of a GitHub workflow on this machine: unchanged `run:` scripts by bash, our own action from this
 * checkout, and public actions by their effect on folders.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { SIMULATED } from './actions.ts';
import { type Context, holds, interpolate, textOf, type Value } from './expression.ts';
import {
  actionCheckout,
  createMachine,
  type Machine,
  type Occasion,
  type Repository,
  type StepResult,
  type Values,
} from './machine.ts';

interface Step {
  readonly id?: string;
  readonly if?: string | boolean;
  readonly run?: string;
  readonly uses?: string;
  readonly shell?: string;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly 'working-directory'?: string;
}

interface Job {
  readonly if?: string;
  readonly env?: Readonly<Record<string, unknown>>;
  readonly steps: readonly Step[];
}

interface Action {
  readonly inputs: Readonly<Record<string, { default?: string }>>;
  readonly outputs: Readonly<Record<string, { value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

/** Finished steps with an ID. */
type Steps = Record<string, { readonly outputs: Values; readonly outcome: string }>;

export interface JobResult {
  readonly conclusion: 'success' | 'failure' | 'skipped';
  readonly log: string;
  readonly summary: string;
  /** Outputs of each step with an ID. */
  readonly steps: Readonly<Record<string, Values>>;
}

/** Runs one job of the workflow in `file`; `extra` are contexts such as `matrix`. */
export async function runJob(
  repository: Repository,
  file: string,
  name: string,
  occasion: Occasion,
  extra: Context = {},
): Promise<JobResult> {
  const { jobs } = parse(readFileSync(file, 'utf8')) as { jobs: Readonly<Record<string, Job>> };
  const job = jobs[name];
  if (job === undefined) throw new Error(`${file} has no job ${name}`);
  const machine = await createMachine(repository, occasion);
  const contexts = { ...contextsOf(machine), ...extra };
  if (!holds(job.if, contexts, { failed: false })) return resultOf(machine, 'skipped', {});
  const env = valuesOf(job.env ?? {}, contexts);
  const { failed, steps } = await runSteps(machine, job.steps, contexts, env);
  return resultOf(machine, failed ? 'failure' : 'success', steps);
}

/** Runs our action alone, in a folder with the checkout. */
export async function runAction(
  repository: Repository,
  inputs: Values,
  occasion: Occasion,
  env: Values,
  workspace: string,
): Promise<JobResult & { readonly outputs: Values }> {
  const machine = await createMachine(repository, occasion, workspace);
  const step = { id: 'it', uses: 'OWNER/websites-as-code@v0', with: inputs };
  const { failed, steps } = await runSteps(machine, [step], contextsOf(machine), env);
  return { ...resultOf(machine, failed ? 'failure' : 'success', steps), outputs: steps.it?.outputs ?? {} };
}

function resultOf(machine: Machine, conclusion: JobResult['conclusion'], steps: Steps): JobResult {
  const outputs = Object.entries(steps).map(([id, step]) => [id, step.outputs]);
  return { conclusion, log: machine.log(), summary: machine.summary(), steps: Object.fromEntries(outputs) };
}

function contextsOf({ repository, occasion, temp }: Machine): Context {
  const { github, vars = {}, secrets = {} } = repository;
  return {
    github: {
      token: github.token,
      repository: github.repository,
      event: occasion.payload ?? {},
      event_name: occasion.event,
      sha: occasion.sha,
      run_id: occasion.run,
      run_attempt: 1,
    },
    vars,
    secrets,
    runner: { temp },
  };
}

/** Runs steps in order; each sees the outputs of those before. */
async function runSteps(
  machine: Machine,
  all: readonly Step[],
  contexts: Context,
  inherited: Values,
): Promise<{ failed: boolean; steps: Steps }> {
  const steps: Steps = {};
  let failed = false;
  for (const step of all) {
    const context = { ...contexts, env: inherited, steps };
    if (!holds(step.if, context, { failed })) continue;
    const env = { ...inherited, ...valuesOf(step.env ?? {}, context) };
    const { ok, outputs } = await runStep(machine, step, { ...context, env }, env);
    if (step.id !== undefined) steps[step.id] = { outputs, outcome: ok ? 'success' : 'failure' };
    failed ||= !ok;
  }
  return { failed, steps };
}

async function runStep(machine: Machine, step: Step, context: Context, env: Values): Promise<StepResult> {
  if (step.uses === undefined) {
    const text = interpolate(step.run ?? '', context);
    return machine.runScript({ text, shell: step.shell, folder: step['working-directory'], env });
  }
  const [action = ''] = step.uses.split('@');
  const given = valuesOf(step.with ?? {}, context);
  if (action === './' || action.endsWith('/websites-as-code')) return useOurs(machine, given, context, env);
  const simulated = SIMULATED[action];
  if (simulated === undefined) throw new Error(`${action} is not known here`);
  const problem = simulated(given, machine);
  if (problem !== undefined) machine.say(`${action}: ${problem}\n`);
  return { ok: problem === undefined, outputs: {} };
}

/** Runs our composite action: it sees its inputs and its own steps, and neither secrets nor variables. */
async function useOurs(machine: Machine, given: Values, context: Context, env: Values): Promise<StepResult> {
  const checkout = actionCheckout(machine.repository);
  const action = parse(readFileSync(join(checkout, 'action.yml'), 'utf8')) as Action;
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(action.inputs, name));
  if (unknown !== undefined) throw new Error(`the action has no input ${unknown}`);
  const inputs = Object.entries(action.inputs).map(([name, input]) => [
    name,
    given[name] ?? input.default ?? '',
  ]);
  const { secrets: _, vars: __, ...rest } = context;
  const inner: Context = { ...rest, inputs: Object.fromEntries(inputs) };
  const inherited = { ...env, GITHUB_ACTION_PATH: checkout };
  const { failed, steps } = await runSteps(machine, action.runs.steps, inner, inherited);
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [name, value]);
  return { ok: !failed, outputs: valuesOf(Object.fromEntries(outputs), { ...inner, steps }) };
}

function valuesOf(texts: Readonly<Record<string, unknown>>, context: Context): Values {
  const entries = Object.entries(texts).map(([name, text]) => [
    name,
    typeof text === 'string' ? interpolate(text, context) : textOf(text as Value),
  ]);
  return Object.fromEntries(entries);
}
