/** `gh api` as our workflows use it: `gh api [-X METHOD] [-f NAME=TEXT] [-F NAME=@FILE] [--jq FILTER] [--silent] PATH`. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  allowPositionals: true,
  options: {
    method: { type: 'string', short: 'X' },
    'raw-field': { type: 'string', short: 'f', multiple: true, default: [] },
    field: { type: 'string', short: 'F', multiple: true, default: [] },
    jq: { type: 'string' },
    silent: { type: 'boolean' },
  },
});
const [command, path] = positionals;
if (command !== 'api' || path === undefined) throw new Error(`not known here: gh ${positionals.join(' ')}`);

const body = {};
for (const field of values['raw-field']) set(field, (text) => text);
for (const field of values.field)
  set(field, (text) => (text.startsWith('@') ? readFileSync(text.slice(1), 'utf8') : text));
const hasBody = Object.keys(body).length > 0;

const answer = await fetch(`${process.env.GITHUB_API_URL}/${path}`, {
  method: values.method ?? (hasBody ? 'POST' : 'GET'),
  headers: { Authorization: `Bearer ${process.env.GH_TOKEN}`, 'Content-Type': 'application/json' },
  ...(hasBody ? { body: JSON.stringify(body) } : {}),
});
const text = await answer.text();
if (!answer.ok) {
  process.stderr.write(`gh: ${text} (HTTP ${answer.status})\n`);
  process.exitCode = 1;
} else if (values.jq !== undefined) {
  process.stdout.write(execFileSync('jq', ['-r', values.jq], { input: text }));
}

/** Sets `NAME=TEXT`, or adds to a list with `NAME[]=TEXT`. */
function set(field, read) {
  const [, name, list, value] = /^(\w+)(\[\])?=([\s\S]*)$/.exec(field) ?? [];
  if (name === undefined) throw new Error(`not a field: ${field}`);
  body[name] = list === undefined ? read(value) : [...(body[name] ?? []), read(value)];
}
