/** What the service's own OpenAPI document says of an answer. */
import * as z from 'zod';
import { openApi, type Response } from '../../src/server/openapi.ts';

const api = openApi();

interface Reference {
  readonly $ref?: string;
}

const readers = new Map<string, ReturnType<typeof readerOf>>();

/** A reader of a schema. */
export function schemaOf(name: string): ReturnType<typeof readerOf> {
  const reader = readers.get(name) ?? readerOf(name);
  readers.set(name, reader);
  return reader;
}

/** Zod takes a schema where it is a whole document. */
function readerOf(name: string) {
  const inOne = JSON.stringify({ $defs: api.components.schemas, $ref: `#/components/schemas/${name}` });
  return z.fromJSONSchema(JSON.parse(inOne.replaceAll('#/components/schemas/', '#/$defs/')));
}

/** The schema of what `method` on `path` (with `{id}`) answers with `status`; `undefined`: it says of no such answer. */
export function documented(method: string, path: string, status: number): string | undefined {
  const found = api.paths[path]?.[method.toLowerCase()]?.responses[status] as
    | (Response & Reference)
    | undefined;
  const { content } =
    (found?.$ref === undefined ? found : api.components.responses[lastPart(found.$ref)]) ?? {};
  const schema = content?.['application/json']?.schema;
  return schema === undefined ? undefined : lastPart(String(schema.$ref));
}

function lastPart(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
