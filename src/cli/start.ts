import { setFlagsFromString } from 'node:v8';
import type { ExitCode } from '../model/errors.ts';
import { keepKey } from '../util/key-filter.ts';
import { installInterrupts } from './io/interrupt.ts';
import { processIo } from './io/io.ts';
import { systemTiming, withProgress } from './progress/progress.ts';
import { runCommand } from './run.ts';

export function start(argv: readonly string[]): Promise<ExitCode> {
  // Deprecations in libraries do not concern users.
  process.noDeprecation = true;
  // Node 20 compiles WebAssembly a second time, for speed, and waits for that at its exit: for undici's parser, longer
  // than most commands take (bench/performance.md). Later versions do so only for hot code.
  if (process.version.startsWith('v20.')) setFlagsFromString('--liftoff-only');
  const io = withProgress(processIo(), systemTiming);
  keepKey(io.env.WEBSITES_API_KEY?.trim() ?? '');
  installInterrupts(io);
  return runCommand(argv, io);
}
