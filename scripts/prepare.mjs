/**
 * Builds dist/ wherever npm prepares this package. When it is installed globally from Git, as pre-commit does, npm
 * brings no development dependencies (npm/cli#8440), so they are installed first.
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
