/**
 * Prints the section of CHANGELOG.md for a tag: `node release-notes.mjs v1.2.3`. Fails if the tag does not
 * match the version in package.json, or if the section is missing.
 */
import { readFileSync } from 'node:fs';

const [tag] = process.argv.slice(2);
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
if (tag !== `v${version}`) fail(`The tag is ${tag}, and package.json has the version ${version}.`);

const parts = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
const notes = parts
  .find((part) => part.startsWith(`[${version}]`))
  ?.replace(/^.*\n+/, '')
  .trim();
if (!notes) fail(`CHANGELOG.md has no part "## [${version}]".`);
console.log(notes);

function fail(message) {
  console.error(message);
  process.exit(1);
}
