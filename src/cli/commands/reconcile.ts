import { resolve } from 'node:path';
import { findDefault, isStream } from '../../config/files/files.ts';
import { EXIT, type ExitCode, WebsitesError } from '../../model/errors.ts';
import type { Rhythm } from '../../reconcile/backoff.ts';
import { type ListenAddress, parseAddress, startEndpoints } from '../../reconcile/endpoints.ts';
import type { PassReport, Tell } from '../../reconcile/events.ts';
import { createHealth } from '../../reconcile/health.ts';
import { createLog, type Log } from '../../reconcile/log.ts';
import { LOG_FORMATS } from '../../reconcile/log-line.ts';
import { reconcile } from '../../reconcile/loop.ts';
import { checkTracked, folderOf, pull } from '../../reconcile/pull.ts';
import { settled } from '../../reconcile/stable-read.ts';
import { VERSION } from '../../sync/defaults.ts';
import { makePass, type PassSettings } from '../../sync/reconcile-pass.ts';
import { systemClock } from '../../util/node/system-clock.ts';
import { applySettings } from '../apply/run-and-report.ts';
import { type FlagValues, unfit, usageError } from '../argv/flags.ts';
import { BATCH_FLAGS, FILE_FLAGS, PLAN_FLAGS, SERVICE_FLAGS } from '../argv/shared-flags.ts';
import { defineCommand } from '../command.ts';
import { takeInterrupts } from '../io/interrupt.ts';
import type { Io } from '../io/io.ts';
import { load, loadOptions, planOptionsOf, serviceSettings } from '../session/settings.ts';

// Passwords that were sent again with each pass would never let the service be as the files say.
const { 'resend-passwords': _, ...LOOP_PLAN_FLAGS } = PLAN_FLAGS;

const DEFAULT_INTERVAL_MIN = 5;
const DEFAULT_JITTER = '10%';
const DEFAULT_GIT_TIMEOUT_S = 60;

const FLAGS = {
  ...FILE_FLAGS,
  ...SERVICE_FLAGS,
  ...LOOP_PLAN_FLAGS,
  ...BATCH_FLAGS,
  interval: {
    type: 'seconds',
    describe: 'Time between passes',
    default: `${DEFAULT_INTERVAL_MIN}m`,
  },
  jitter: {
    type: 'string',
    value: 'PERCENT',
    describe: 'Random variation of the interval',
    default: DEFAULT_JITTER,
  },
  once: { type: 'boolean', describe: 'Run one pass; its exit code is that of apply' },
  'dry-run': {
    type: 'boolean',
    describe: 'Only report drift (with --once: exit 2)',
  },
  git: {
    type: 'boolean',
    describe: 'Run git pull --ff-only before each pass',
  },
  'git-timeout': {
    type: 'seconds',
    least: 0.001,
    describe: 'Time limit for Git',
    default: `${DEFAULT_GIT_TIMEOUT_S}s`,
  },
  listen: {
    type: 'string',
    value: 'HOST:PORT',
    describe: 'Serve /healthz, /readyz and /metrics',
  },
  'log-format': {
    type: 'string',
    choices: LOG_FORMATS,
    describe: 'Format of the log',
    default: 'text',
  },
  'max-failures': { type: 'number', describe: 'Stop a pass after N failed changes' },
} as const;

type ReconcileFlags = FlagValues<typeof FLAGS>;

const SHORTEST_INTERVAL_S = 1;
/** A pass that says nothing for longer than its operations and pulls may take, and this, is stuck. */
const PATIENCE_S = 900;

export default defineCommand({
  flags: FLAGS,
  examples: [
    ['websites reconcile --once', 'run one pass'],
    ['websites reconcile', 'run a pass every five minutes'],
    ['websites reconcile --listen 127.0.0.1:9090', 'serve health and metrics'],
    ['websites reconcile --git --log-format json', 'pull before each pass'],
    ['websites reconcile --dry-run --interval 1h', 'only report drift'],
  ],
  run: reconcileUntilStopped,
});

/** Returns 0 after an interrupt, and with `--once` what apply would. Throws `usage` and `address-in-use`. */
async function reconcileUntilStopped(flags: ReconcileFlags, io: Io): Promise<ExitCode> {
  const rhythm = rhythmOf(flags);
  const address = flags.listen === undefined ? undefined : addressOf(flags.listen);
  if (flags.file?.some(isStream)) {
    throw usageError(
      'Standard input can be read only once, and the loop reads its files in each pass.',
      'Name files with -f.',
    );
  }
  const log = createLog({
    format: flags['log-format'] ?? 'text',
    now: systemClock.now,
    write: io.err,
  });
  // What the log tells of an interrupt is enough.
  const { signal, end } = takeInterrupts('');
  try {
    const { tell, close } = await startTelling(flags, rhythm, address, log);
    const settings = passSettings(flags, io, tell);
    try {
      const last = await reconcile({
        ...rhythm,
        once: flags.once ?? false,
        clock: systemClock,
        random: Math.random,
        pass: (own) => makePass(settings, own),
        tell,
        signal,
      });
      return flags.once ? exitOf(last) : EXIT.done;
    } finally {
      await close();
    }
  } finally {
    end();
  }
}

/** Log and, where they are asked for, health and metrics. */
async function startTelling(
  flags: ReconcileFlags,
  { intervalMs }: Rhythm,
  address: ListenAddress | undefined,
  log: Log,
): Promise<{ tell: Tell; close: () => Promise<void> }> {
  const started = { version: VERSION, interval_seconds: flags.once ? undefined : intervalMs / 1000 };
  if (address === undefined) {
    log.line('info', 'started', started);
    return { tell: log.tell, close: async () => undefined };
  }
  const { createMetrics } = await import('../../reconcile/metrics.ts');
  const { timeout = 0, 'git-timeout': gitTimeout = 0 } = flags;
  const patienceMs = (PATIENCE_S + timeout + gitTimeout) * 1000;
  const health = createHealth({ clock: systemClock, intervalMs, patienceMs });
  const metrics = createMetrics({ version: VERSION, now: systemClock.now });
  const { url, close } = await startEndpoints(address, health, metrics);
  log.line('info', 'started', { ...started, url });
  const tell: Tell = (event) => {
    for (const listener of [health, metrics, log]) listener.tell(event);
  };
  return { tell, close };
}

function passSettings(flags: ReconcileFlags, io: Io, tell: Tell): PassSettings {
  const checkout = async () => ({ folder: await folderOf(flags.file ?? [], io.cwd), env: io.env });
  const timeoutMs = (flags['git-timeout'] ?? DEFAULT_GIT_TIMEOUT_S) * 1000;
  const pullThere = async (signal: AbortSignal) => pull({ ...(await checkout()), timeoutMs, signal });
  let file = flags.file ?? [];
  // Found once: where it is missing for a moment, that of a folder above is another file.
  const readFiles = async () => {
    if (file.length === 0) file = [await findDefault(io.cwd)];
    return load({ ...flags, file }, io);
  };
  const readTracked = async () => {
    const config = await readFiles();
    await checkTracked(
      config.files.map(({ path }) => resolve(io.cwd, path)),
      await checkout(),
    );
    return config;
  };
  const read = flags.git ? readTracked : readFiles;
  return {
    ...(flags.git ? { pull: pullThere } : {}),
    // A checkout that was pulled is one commit, and a single pass reads as apply does.
    load: flags.git || flags.once ? read : settled(read, systemClock.sleep),
    commits: async (config, options, head) => {
      const { createLoopCommits } = await import('../../sync/loop-commits.ts');
      const repository = (await checkout()).folder;
      const named = { ...loadOptions({ ...flags, file }, io), target: flags.target, repository };
      return createLoopCommits({ config, options, load: named, baseUrl: flags['base-url'], head });
    },
    options: (config) => planOptionsOf({ ...flags, 'resend-passwords': false }, config),
    connect: (config) => serviceSettings(flags, config, io),
    dryRun: flags['dry-run'] ?? false,
    apply: applySettings(flags),
    tell,
  };
}

function rhythmOf({ interval = DEFAULT_INTERVAL_MIN * 60, jitter = DEFAULT_JITTER }: ReconcileFlags): Rhythm {
  if (interval < SHORTEST_INTERVAL_S) {
    throw usageError(`--interval is ${interval} s.`, `Write ${SHORTEST_INTERVAL_S}s or more.`);
  }
  const percent = /^\d{1,3}(?=%$)/.exec(jitter)?.[0];
  if (percent === undefined || Number(percent) > 100) {
    throw unfit('--jitter', jitter, 'Write a percentage from 0% to 100%.');
  }
  return { intervalMs: interval * 1000, jitter: Number(percent) / 100 };
}

function addressOf(text: string): ListenAddress {
  const address = parseAddress(text);
  if (address !== undefined) return address;
  throw unfit(
    '--listen',
    text,
    'Write HOST:PORT, such as 127.0.0.1:9090, or :9090 for every address of this machine.',
  );
}

/** What a single pass ends the process with. */
function exitOf(report: PassReport | undefined): ExitCode {
  switch (report?.outcome) {
    case undefined:
    case 'interrupted':
      return EXIT.interrupted;
    case 'converged':
      return EXIT.done;
    case 'drift':
      return EXIT.changes;
    case 'incomplete':
      return EXIT.incomplete;
    case 'refused':
    case 'failed':
    case 'locked':
      return report.error instanceof WebsitesError ? report.error.exit : EXIT.error;
  }
}
