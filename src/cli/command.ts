/** What a command is: flags, help, and a function from their values to an exit code. */
import type { ExitCode } from '../model/errors.ts';
import type { Flag, FlagTable, FlagValues } from './argv/flags.ts';
import type { Io } from './io/io.ts';

export interface Command<T extends FlagTable = FlagTable> {
  /** How positional arguments are written, such as `[PLAN-FILE]`. */
  readonly positional?: string;
  /** What a shell offers for positional arguments. */
  readonly completes?: Flag['completes'];
  /** The words that the first positional argument may be. */
  readonly words?: readonly string[];
  readonly flags: T;
  /** Command lines, each with what it does. */
  readonly examples: readonly (readonly [line: string, meaning: string])[];
  /** Throws a WebsitesError for everything that the user can fix. */
  run(flags: FlagValues<T>, io: Io, args: readonly string[]): Promise<ExitCode>;
}

/** Commands by name, each with its line in the help; its code is loaded when it is called. */
export type CommandTable = Readonly<Record<string, { readonly describe: string; load(): Promise<Command> }>>;

/** Gives a command its types; returns it. */
export function defineCommand<T extends FlagTable>(command: Command<T>): Command<T> {
  return command;
}
