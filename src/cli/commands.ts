/** Every command by name, with its line in the help; a command's code is loaded when it is called. */
import type { Command, CommandTable } from './command.ts';

const entry = (describe: string, load: () => Promise<{ default: Command }>): CommandTable[string] => ({
  describe,
  load: async () => (await load()).default,
});

export const COMMANDS: CommandTable = {
  init: entry(
    'Create a first websites.yaml: an example, or the records of a service',
    () => import('./commands/init.ts'),
  ),
  validate: entry('Check the configuration offline', () => import('./commands/validate.ts')),
  plan: entry('Show the changes that apply would make', () => import('./commands/plan.ts')),
  apply: entry('Apply changes and verify the result', () => import('./commands/apply.ts')),
  undo: entry('Undo a previous run', () => import('./commands/undo.ts')),
  drift: entry(
    'Detect drift; exit code 2 if the service differs from the files',
    () => import('./commands/drift.ts'),
  ),
  show: entry('Show a saved plan in any format', () => import('./commands/show.ts')),
  runs: entry('List previous runs', () => import('./commands/runs.ts')),
  list: entry('List the records of the service', () => import('./commands/list.ts')),
  export: entry(
    'Export the records of the service as a configuration file',
    () => import('./commands/export.ts'),
  ),
  import: entry('Add a list of domains to a configuration file', () => import('./commands/import.ts')),
  doctor: entry('Check how the service behaves (read-only)', () => import('./commands/doctor.ts')),
  serve: entry('Run the service itself, on an SQLite file', () => import('./commands/serve.ts')),
  explain: entry('Explain an error code', () => import('./commands/explain.ts')),
  schema: entry('Print the JSON Schema of websites.yaml', () => import('./commands/schema.ts')),
  completion: entry('Print a shell completion script', () => import('./commands/completion.ts')),
  version: entry('Print the version', () => import('./commands/version.ts')),
};
