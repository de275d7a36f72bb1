/**
 * The tests that need no build and run in less than a minute: `npm run test:unit`, `test:watch` and `coverage`. What
 * runs programs, waits for limits or tries thousands of random inputs is for `npm test`.
 */
import { configDefaults, defineConfig } from 'vitest/config';
import all from './vitest.config.ts';

const FOLDERS = [
  'api',
  'apply',
  'cli',
  'config',
  'journal',
  'lock',
  'model',
  'planner',
  'render',
  'sync',
  'update',
  'util',
  'wire',
];

const SLOW = [
  'api/setbacks',
  'apply/batches',
  'apply/over-http',
  'apply/walk',
  'cli/command-line',
  'cli/completion',
  'cli/dialects',
  'cli/progress/terminal',
  'cli/proof',
  'cli/since',
  'cli/undo',
  'cli/verbose',
  'cli/version',
  'config/yaml/fast/read',
  'config/hostile',
  'config/schema/json-schema',
  'lock/lease',
  'render/export/export',
  'render/hostile',
  'sync/previous-runs',
];

export default defineConfig({
  ...all,
  test: {
    ...all.test,
    include: FOLDERS.map((folder) => `test/${folder}/**/*.test.ts`),
    exclude: [...configDefaults.exclude, ...SLOW.map((name) => `test/${name}.test.ts`)],
    // These wait for a processor, and each worker loads everything once.
    maxWorkers: '100%',
    coverage: {
      include: ['src/**/*.ts'],
      exclude: ['src/render/html/browser/**'],
      reporter: ['text-summary', 'html'],
      // One point below what these tests reach. The commands, the service and the loop are run by the others.
      thresholds: { statements: 82, branches: 79, functions: 83, lines: 83 },
    },
  },
});
