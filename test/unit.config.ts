/**
 * The tests that need no build and run in less than a minute: `npm run test:unit`, `test:watch` and `coverage`. What
 * runs programs, waits for limits or tries thousands of random inputs is for `npm test`.
 */
import { configDefaults, defineConfig } from 'vitest/config';
import all from './vitest.config.ts';

const FOLDERS = ['cli', 'client', 'config', 'model', 'planner', 'report', 'run', 'sync', 'util'];

const SLOW = [
  'cli/command-line',
  'cli/completion',
  'cli/dialects',
  'cli/progress/terminal',
  'cli/verification',
  'cli/since',
  'cli/undo',
  'cli/verbose',
  'cli/version',
  'client/setbacks',
  'config/hostile',
  'config/schema/json-schema',
  'config/yaml/fast/read',
  'run/lock',
  'report/export/export',
  'report/hostile',
  'sync/previous-runs',
];

/** Tests that take seconds, and pay only when coverage is measured. */
const FOR_COVERAGE = [
  'client/http/body',
  'client/http/transport',
  'cli/apply/report',
  'cli/export',
  'cli/export-update',
  'cli/import',
  'cli/plan',
  'config/bulk/from',
  'config/import/import',
  'report/plan/html.browser',
  'sync/removals',
  'sync/revision',
  'util/secret-forms',
];

const excluded = process.argv.includes('--coverage') ? SLOW : [...SLOW, ...FOR_COVERAGE];

export default defineConfig({
  ...all,
  test: {
    ...all.test,
    include: FOLDERS.map((folder) => `test/${folder}/**/*.test.ts`),
    exclude: [...configDefaults.exclude, ...excluded.map((name) => `test/${name}.test.ts`)],
    // These wait for a processor, and each worker loads everything once.
    maxWorkers: '100%',
    coverage: {
      include: ['src/**/*.ts'],
      reporter: ['text-summary', 'html'],
      // One point below what these tests reach. The commands and the service are run by the others.
      thresholds: { statements: 84, branches: 79, functions: 85, lines: 86 },
    },
  },
});
