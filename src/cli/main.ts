#!/usr/bin/env node
/** The way in. Only what is wanted is loaded: for the version alone that is nothing. */
import { VERSION } from '../sync/version.ts';

const argv = process.argv.slice(2);
if (argv.length === 1 && (argv[0] === 'version' || argv[0] === '--version')) {
  process.stdout.write(`websites ${VERSION}\n`);
} else {
  const { start } = await import('./start.ts');
  process.exitCode = await start(argv);
}
