/** Reads the service's own OpenAPI document. */
import * as z from 'zod';
import document from '../../docs/openapi.json' with { type: 'json' };

interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>>;
}

interface OpenApi {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, Response>> }>>>
  >;
  readonly components: { readonly schemas: object; readonly responses: Readonly<Record<string, Response>> };
}

const api: OpenApi = document as unknown as OpenApi;

const readers = new Map<string, ReturnType<typeof readerOf>>();

export function schemaOf(name: string): ReturnType<typeof readerOf> {
  const reader = readers.get(name) ?? readerOf(name);
  readers.set(name, reader);
  return reader;
}

/** Zod accepts a schema only as a whole document. */
function readerOf(name: string) {
  const inOne = JSON.stringify({ $defs: api.components.schemas, $ref: `#/components/schemas/${name}` });
  return z.fromJSONSchema(JSON.parse(inOne.replaceAll('#/components/schemas/', '#/$defs/')));
}

/** The schema of the response with `status` to `method` on `path` (with `{id}`), if it has one. */
export function documented(method: string, path: string, status: number): string | undefined {
  const found = api.paths[path]?.[method.toLowerCase()]?.responses[status];
  const { content } =
    (found?.$ref === undefined ? found : api.components.responses[lastPart(found.$ref)]) ?? {};
  const schema = content?.['application/json']?.schema;
  return schema === undefined ? undefined : lastPart(String(schema.$ref));
}

function lastPart(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
