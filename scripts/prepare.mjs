/**
 * Builds dist/ when npm prepares this package. A global install from Git, as of pre-commit, lacks development
 * dependencies (npm/cli#8440), so they are installed first.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

if (!existsSync('node_modules/esbuild')) {
  execFileSync(
    process.execPath,
    [process.env.npm_execpath, 'ci', '--global=false', '--include=dev', '--ignore-scripts', '--no-audit'],
    { stdio: 'inherit' },
  );
}
await import('./build.mjs');
