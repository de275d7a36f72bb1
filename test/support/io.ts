import type { Io } from '../../src/cli/io/io.ts';
import { NO_NEXT_FLAGS } from '../../src/model/next-command.ts';

/** No terminal, no environment, and the output is dropped. */
export const BARE_IO: Io = {
  out: () => undefined,
  err: () => undefined,
  env: {},
  cwd: '/',
  nextFlags: NO_NEXT_FLAGS,
  stdin: process.stdin,
  canAsk: false,
  width: 100,
  outIsTerminal: false,
  errIsTerminal: false,
  outIsSeen: false,
};
