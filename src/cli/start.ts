/** Running the command line of this very process. */
import type { ExitCode } from '../model/errors.ts';
import { installInterrupts } from './io/interrupt.ts';
import { processIo } from './io/io.ts';
import { systemTiming, withProgress } from './progress/progress.ts';
import { runCommand } from './run.ts';

/** Runs `argv` (without node and script) and returns the exit code. */
export function start(argv: readonly string[]): Promise<ExitCode> {
  // What libraries are to change one day is no news for whoever runs a command.
  process.noDeprecation = true;
  const io = withProgress(processIo(), systemTiming);
  installInterrupts(io);
  return runCommand(argv, io);
}
