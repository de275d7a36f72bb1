import { LOG_FORMATS } from '../../reconcile/log-line.ts';
import { defineCommand } from '../command.ts';
import { reconcileUntilStopped } from '../reconcile.ts';
import { BATCH_FLAGS, FILE_FLAGS, PLAN_FLAGS, SERVICE_FLAGS } from '../shared-flags.ts';

// Passwords that were sent again with each pass would never let the service be as the files say.
const { 'resend-passwords': _, ...LOOP_PLAN_FLAGS } = PLAN_FLAGS;

export default defineCommand({
  flags: {
    ...FILE_FLAGS,
    ...SERVICE_FLAGS,
    ...LOOP_PLAN_FLAGS,
    ...BATCH_FLAGS,
    interval: { type: 'seconds', describe: 'Time between two passes, such as 30s, 5m or 1h', default: '5m' },
    jitter: { type: 'string', describe: 'How far a pause may be off the interval', default: '10%' },
    once: { type: 'boolean', describe: 'One pass; its exit code is that of apply' },
    'dry-run': {
      type: 'boolean',
      describe: 'Report drift and change nothing; with --once, exit 2 where there is any',
    },
    git: {
      type: 'boolean',
      describe: 'Bring the checkout that holds the files up to date before each pass (git pull --ff-only)',
    },
    'git-timeout': { type: 'seconds', describe: 'Time for what Git fetches', default: '60s' },
    listen: {
      type: 'string',
      describe: 'Serve /healthz, /readyz and /metrics at this HOST:PORT, such as 127.0.0.1:9090',
    },
    'log-format': {
      type: 'string',
      choices: LOG_FORMATS,
      describe: 'How to log on standard error',
      default: 'text',
    },
    'max-failures': { type: 'number', describe: 'Stop a pass after so many failed changes' },
    'write-lock': {
      type: 'boolean',
      describe: 'Begin a websites.lock, by which changed passwords are noticed',
    },
  },
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
