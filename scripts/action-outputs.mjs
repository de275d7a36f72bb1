/**
 * Prints the outputs of the action as `NAME=VALUE` lines: `node action-outputs.mjs COMMAND FILE EXIT-CODE`.
 * Takes only numbers, a digest and names without line breaks from the plan, so that a foreign plan cannot set
 * other outputs.
 */
import { existsSync, readFileSync } from 'node:fs';

const [command, file, code] = process.argv.slice(2);
for (const [name, value] of Object.entries(outputs())) console.log(`${name}=${value}`);

function outputs() {
  if (command === 'validate') return {};
  if (!existsSync(file)) {
    // If there is no drift, no report was written.
    return command === 'drift' && code === '0' ? { changes: 0, create: 0, update: 0, delete: 0 } : {};
  }
  const { summary, digest, failures, not_attempted } = document();
  const isResult = failures !== undefined;
  const counts = Object.entries({ create: 'created', update: 'updated', delete: 'deleted' }).map(
    ([name, done]) => {
      const left = isResult
        ? [failures, not_attempted].flat().filter((one) => one?.action === name).length
        : 0;
      return [name, isResult ? summary?.[done] + left : summary?.[name]];
    },
  );
  if (!counts.every(([, count]) => Number.isInteger(count))) return {};
  const changes = counts.reduce((sum, [, count]) => sum + count, 0);
  if (isResult) return { changes, ...Object.fromEntries(counts) };
  if (!/^[\w:-]+$/.test(digest)) return {};
  const named = /\p{Cc}/u.test(file) ? {} : { 'plan-file': file };
  return { changes, ...Object.fromEntries(counts), ...named, digest };
}

function document() {
  try {
    return Object(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return {};
  }
}
