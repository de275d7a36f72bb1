#!/usr/bin/env node
/** The way in: finds the command, runs it, and turns whatever it throws into one message and exit code. */
import { installInterrupts } from './interrupt.ts';
import { type Io, processIo } from './io.ts';
import { VERSION } from './version.ts';

const io = processIo();
installInterrupts(io);
process.exitCode = await main(process.argv.slice(2), io);

async function main(argv: readonly string[], { out }: Io): Promise<number> {
  if (argv.length === 1 && (argv[0] === 'version' || argv[0] === '--version')) {
    // Not worth loading anything for.
    out(`websites ${VERSION}\n`);
    return 0;
  }
  const { runCommand } = await import('./run.ts');
  return runCommand(argv, io);
}
