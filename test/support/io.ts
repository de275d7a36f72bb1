import type { Io } from '../../src/cli/io/io.ts';
import { NOT_SAID } from '../../src/model/next-command.ts';

/** No terminal, no environment, and the output is dropped. */
export const BARE_IO: Io = {
  out: () => undefined,
  err: () => undefined,
  env: {},
  cwd: '/',
  where: NOT_SAID,
  stdin: process.stdin,
  canAsk: false,
  width: 100,
  outIsTerminal: false,
  errIsTerminal: false,
  outIsSeen: false,
};
