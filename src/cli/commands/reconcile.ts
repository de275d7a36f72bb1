import { defineCommand } from '../command.ts';
import { LOOP_FLAGS, reconcileUntilStopped } from '../reconcile.ts';

export default defineCommand({
  flags: LOOP_FLAGS,
  examples: [
    ['websites reconcile --once', 'one pass, to try it'],
    ['websites reconcile', 'every five minutes, until SIGTERM or Ctrl-C'],
    ['websites reconcile --interval 1m --listen 127.0.0.1:9090', 'with health and metrics'],
    ['websites reconcile --git --log-format json', 'from a checkout that is pulled before each pass'],
    ['websites reconcile --dry-run --interval 1h', 'only looks, and tells of drift'],
  ],
  async run(flags, io) {
    return reconcileUntilStopped(flags, io);
  },
});
