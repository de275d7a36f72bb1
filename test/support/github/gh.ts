/**
 * `gh api` as our workflows use it: `gh api [-X METHOD] [-f NAME=TEXT] [-F NAME=@FILE] [--jq FILTER] [--silent]
 * PATH`.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Answer, Call } from '../here.ts';

export async function gh({ args, cwd, env }: Call): Promise<Answer> {
  const { values, positionals } = parseArgs({
    args: [...args],
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

  const body: Record<string, string | string[]> = {};
  for (const field of values['raw-field']) set(body, field, (text) => text);
  for (const field of values.field)
    set(body, field, (text) =>
      text.startsWith('@') ? readFileSync(resolve(cwd, text.slice(1)), 'utf8') : text,
    );
  const hasBody = Object.keys(body).length > 0;

  const answer = await fetch(`${env.GITHUB_API_URL}/${path}`, {
    method: values.method ?? (hasBody ? 'POST' : 'GET'),
    headers: { Authorization: `Bearer ${env.GH_TOKEN}`, 'Content-Type': 'application/json' },
    ...(hasBody ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  if (!answer.ok) return { code: 1, stdout: '', stderr: `gh: ${text} (HTTP ${answer.status})\n` };
  const { jq } = values;
  const stdout = jq === undefined ? '' : execFileSync('jq', ['-r', jq], { input: text, encoding: 'utf8' });
  return { code: 0, stdout, stderr: '' };
}

/** Sets `NAME=TEXT`, or adds to a list with `NAME[]=TEXT`. */
function set(body: Record<string, string | string[]>, field: string, read: (text: string) => string): void {
  const [, name, list, value = ''] = /^(\w+)(\[\])?=([\s\S]*)$/.exec(field) ?? [];
  if (name === undefined) throw new Error(`not a field: ${field}`);
  body[name] = list === undefined ? read(value) : [...(body[name] ?? []), read(value)];
}
