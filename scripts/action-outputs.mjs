/**
 * Prints the outputs of the action as `NAME=VALUE` lines: `node action-outputs.mjs COMMAND PLAN-FILE EXIT-CODE`.
 * The plan may be a stranger's: nothing but whole numbers and a digest is taken from it. A name with a line break would
 * be outputs of its own, and is none.
 */
import { existsSync, readFileSync } from 'node:fs';

const [command, file, code] = process.argv.slice(2);
for (const [name, value] of Object.entries(outputs())) console.log(`${name}=${value}`);

function outputs() {
  if (command === 'validate') return {};
  if (!existsSync(file)) {
    // Without differences, drift writes no report.
    return command === 'drift' && code === '0' ? { changes: 0, create: 0, update: 0, delete: 0 } : {};
  }
  const { summary, digest } = plan();
  const counts = ['create', 'update', 'delete'].map((name) => [name, summary?.[name]]);
  if (!counts.every(([, count]) => Number.isInteger(count)) || !/^[\w:-]+$/.test(digest)) return {};
  const changes = counts.reduce((sum, [, count]) => sum + count, 0);
  const named = /\p{Cc}/u.test(file) ? {} : { 'plan-file': file };
  return { changes, ...Object.fromEntries(counts), ...named, digest };
}

function plan() {
  try {
    return Object(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}
