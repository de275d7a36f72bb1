/** The surroundings of a command, as tests have them. */
import type { Io } from '../../src/cli/io/io.ts';
import { NOT_SAID } from '../../src/model/next-command.ts';

/** No terminal, no environment, and what is printed is not looked at. */
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
