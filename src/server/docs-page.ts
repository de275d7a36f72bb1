/** The OpenAPI document as a page for people: one file, no script, nothing loaded. */
import { escapeHtml } from '../util/html.ts';
import { type ApiOperation, type OpenApi, openApi, type Response } from './openapi.ts';
import type { OpenApiJson } from './openapi-schemas.ts';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
code { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
h2 { margin-top: 2.5rem; border-top: 1px solid #8886; padding-top: 1rem; }
h2 b { display: inline-block; min-width: 4.5rem; }
table { border-collapse: collapse; width: 100%; margin: 0.5rem 0 1rem; }
th, td { text-align: left; vertical-align: top; padding: 0.25rem 0.75rem 0.25rem 0; border-bottom: 1px solid #8883; }
th { font-weight: 600; } td:first-child { white-space: nowrap; }`;

/** Returns the HTML. */
export function docsPage(): string {
  const api = openApi();
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => operationHtml(api, method, path, operation)),
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(api.info.title)}</title>
<style>${STYLE}</style>
<h1>${escapeHtml(api.info.title)}</h1>
<p>${prose(api.info.description)}</p>
<p>For programs: <a href="/openapi.json">openapi.json</a> (OpenAPI ${api.openapi}).</p>
${operations.join('\n')}
<h2>The record</h2>
${membersTable(api.components.schemas.Website)}
</html>
`;
}

function operationHtml(api: OpenApi, method: string, path: string, operation: ApiOperation): string {
  const { summary, parameters = [], requestBody, responses } = operation;
  const query = parameters.map(({ name, schema, description }) =>
    fieldRow(String(name), { ...(schema as OpenApiJson), description }),
  );
  const form = Object.values(requestBody?.content ?? {}).map(({ schema }) =>
    membersTable(resolve(api, schema)),
  );
  const answers = Object.entries(responses).map(([status, response]) => {
    const { description, headers } = resolve<Response>(api, response);
    const names = Object.keys(headers ?? {}).map((name) => `<code>${escapeHtml(name)}</code>`);
    const more = names.length === 0 ? '' : ` Headers: ${names.join(', ')}.`;
    return `<tr><td><code>${status}</code></td><td>${prose(description)}${more}</td></tr>`;
  });
  return [
    `<h2><b>${method.toUpperCase()}</b> <code>${escapeHtml(path)}</code></h2>`,
    `<p>${prose(summary)}.${operation.security === undefined ? '' : ' No API key needed.'}</p>`,
    ...(query.length === 0 ? [] : [table(['Parameter', '', ''], query)]),
    ...form,
    table(['Answer', ''], answers),
  ].join('\n');
}

function membersTable(schema: OpenApiJson | undefined): string {
  const rows = Object.entries((schema?.properties ?? {}) as Record<string, OpenApiJson>);
  return table(
    ['Field', '', ''],
    rows.map(([name, member]) => fieldRow(name, member)),
  );
}

function fieldRow(name: string, schema: OpenApiJson): string {
  const { type, enum: values, default: standard, maxLength, description } = schema;
  const words = [
    Array.isArray(values) ? values.join(', ') : [type].flat().join(' or '),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(standard === undefined ? [] : [`default ${standard}`]),
  ].join('; ');
  return `<tr><td><code>${escapeHtml(name)}</code></td><td>${prose(words)}</td><td>${prose(String(description ?? ''))}</td></tr>`;
}

function table(heads: readonly string[], rows: readonly string[]): string {
  const head = heads.map((text) => `<th>${text}</th>`).join('');
  return `<table><tr>${head}</tr>\n${rows.join('\n')}\n</table>`;
}

/** What a `$ref` of this document points at; a value without one is itself. */
function resolve<T = OpenApiJson>(api: OpenApi, value: unknown): T {
  const { $ref } = value as { $ref?: string };
  if ($ref === undefined) return value as T;
  const names = $ref.split('/').slice(1);
  return names.reduce<unknown>((at, name) => (at as OpenApiJson)[name], api) as T;
}

/** Escaped, with `code` as such. */
function prose(text: string): string {
  return escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
}
