/** Every command by name, with its line in the help; a command's code is loaded when it is called. */
import type { Command, CommandTable } from './command.ts';

const entry = (describe: string, load: () => Promise<{ default: Command }>): CommandTable[string] => ({
  describe,
  load: async () => (await load()).default,
});

export const COMMANDS: CommandTable = {
  init: entry(
    'Write a first websites.yaml: with comments, or from a service',
    () => import('./commands/init.ts'),
  ),
  validate: entry('Check the files, offline', () => import('./commands/validate.ts')),
  plan: entry('Show what would change', () => import('./commands/plan.ts')),
  apply: entry('Make it so, and prove it', () => import('./commands/apply.ts')),
  undo: entry('Take a run back', () => import('./commands/undo.ts')),
  drift: entry('Exit 2 when the service differs from the files', () => import('./commands/drift.ts')),
  show: entry('Show a saved plan in any format', () => import('./commands/show.ts')),
  runs: entry('List the runs of this folder', () => import('./commands/runs.ts')),
  export: entry(
    'Write the current records as a file whose plan is empty',
    () => import('./commands/export.ts'),
  ),
  import: entry('Add a list of domains to a file', () => import('./commands/import.ts')),
  doctor: entry('Find out what the service does, by reading alone', () => import('./commands/doctor.ts')),
  reconcile: entry(
    'Plan and apply in a loop, with health and metrics',
    () => import('./commands/reconcile.ts'),
  ),
  serve: entry('Run the service itself; its keys and backups', () => import('./commands/serve.ts')),
  explain: entry('Explain an error code', () => import('./commands/explain.ts')),
  targets: entry('List the services that the files name', () => import('./commands/targets.ts')),
  schema: entry('Print the JSON Schema of websites.yaml', () => import('./commands/schema.ts')),
  completion: entry('Complete commands in a shell', async () => {
    const { completionOf } = await import('./commands/completion.ts');
    return { default: completionOf(COMMANDS) };
  }),
  version: entry('Print the version', () => import('./commands/version.ts')),
};
