#!/usr/bin/env node
const { start } = await import('./run.ts');
process.exitCode = await start(process.argv.slice(2));
