/** Every command by name, with its line in the help; a command's code is loaded when it is called. */
import type { Command } from './command.ts';
import type { FlagTable } from './flags.ts';

interface Entry {
  readonly describe: string;
  load(): Promise<Command<FlagTable>>;
}

const entry = <T extends FlagTable>(
  describe: string,
  load: () => Promise<{ default: Command<T> }>,
): Entry => ({
  describe,
  load: async () => (await load()).default as unknown as Command<FlagTable>,
});

export const COMMANDS: Readonly<Record<string, Entry>> = {
  init: entry('Write a commented websites.yaml to start from', () => import('./commands/init.ts')),
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
  serve: entry('Run the service itself; its keys and backups', () => import('./commands/serve.ts')),
  schema: entry('Print the JSON Schema of websites.yaml', () => import('./commands/schema.ts')),
  version: entry('Print the version', () => import('./commands/version.ts')),
};
