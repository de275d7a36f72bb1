#!/usr/bin/env node
/** The entry point. Loads only the code that it needs; for the version, no other code. */
const argv = process.argv.slice(2);
const isVersion = argv[0] === '--version' || (argv[0] === 'version' && !process.env.WEBSITES_FORMAT);
if (argv.length === 1 && isVersion) {
  process.stdout.once('error', async (error) => (await import('./io/io.ts')).reportLostOutput(error));
  // Repeats the expression of VERSION, so that its file need not be loaded.
  process.stdout.write(`websites ${process.env.WEBSITES_BUILD_VERSION ?? '0.0.0'}\n`);
} else {
  const { start } = await import('./start.ts');
  process.exitCode = await start(argv);
}
