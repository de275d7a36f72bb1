import { defineConfig } from 'vitest/config';
import { WaitingFirst } from './sequencer.ts';

export default defineConfig({
  test: {
    root: '.',
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    // Limits only tests that hang: on a busy machine a test may take ten times as long.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Files share their imports, because loading them takes most of a file's time.
    isolate: false,
    // Most of them wait for sockets and child processes, not for a processor.
    maxWorkers: 4,
    sequence: { sequencer: WaitingFirst },
    // Built files run unchanged.
    server: { deps: { external: [/\/dist\//] } },
    // A test never sees the settings of whoever runs it.
    env: {
      NO_COLOR: '1',
      FORCE_COLOR: '',
      WEBSITES_API_KEY: '',
      WEBSITES_BASE_URL: '',
      GITHUB_ACTIONS: '',
      GITHUB_STEP_SUMMARY: '',
      GITHUB_ACTOR: '',
      GITHUB_TRIGGERING_ACTOR: '',
      GITHUB_SHA: '',
      GITHUB_RUN_ID: '',
    },
  },
});
