#!/usr/bin/env node
/** The way in. Only what is wanted is loaded: for the version alone that is nothing. */
const argv = process.argv.slice(2);
const isVersion = argv[0] === '--version' || (argv[0] === 'version' && !process.env.WEBSITES_FORMAT);
if (argv.length === 1 && isVersion) {
  process.stdout.once('error', async (error) => (await import('./io/io.ts')).reportLostOutput(error));
  // As sync/version.ts has it, which would be one more file to load.
  process.stdout.write(`websites ${process.env.WEBSITES_BUILD_VERSION ?? '0.0.0'}\n`);
} else {
  const { start } = await import('./start.ts');
  process.exitCode = await start(argv);
}
