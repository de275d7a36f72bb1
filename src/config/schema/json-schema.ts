/** Builds the JSON Schema of the YAML files from the tables of keys. Editors support at most draft-07. */
import { parse } from 'yaml';
import * as z from 'zod/mini';
import {
  ANCHOR_KEY,
  DOMAIN_KEY,
  FILE_KEYS,
  FROM_KEYS,
  GROUP_KEYS,
  type Key,
  type KeyRow,
  PRESENCE_FIELDS,
  RECORD_KEYS,
  SERVICE_KEYS,
  SETTING_KEYS,
  TARGET_KEYS,
  TARGET_NAME,
} from './keys.ts';

type Json = Readonly<Record<string, unknown>>;
type Rows = Readonly<Record<string, KeyRow>>;

const SUBSTITUTED: Json = { type: 'string', pattern: '\\$\\{' };

const definition = (name: string): Json => ({ $ref: `#/definitions/${name}` });

/** Returns the JSON Schema as an object. It accepts every file that the loader accepts. */
export function jsonSchema(): Json {
  const items = { anyOf: [typeOf(DOMAIN_KEY), ...['record', 'group', 'bulk_file'].map(definition)] };
  const level = {
    defaults: { allOf: [definition('settings')] },
    websites: { anyOf: [{ type: ['array', 'null'], items }, definition('bulk_file')] },
  };
  const targets = {
    type: ['object', 'null'],
    propertyNames: { pattern: TARGET_NAME },
    additionalProperties: definition('target'),
  };
  const absent = {
    if: { properties: { state: { const: 'absent' } }, required: ['state'] },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: { propertyNames: { enum: ['domain', 'state'] } },
  };
  const exclusions = [...PRESENCE_FIELDS].map((names) => ({ not: { type: 'object', required: names } }));
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'websites.yaml',
    description: 'Configuration of websites-as-code.',
    ...mapOf(FILE_KEYS, [], { ...level, service: mapOf(SERVICE_KEYS), targets }),
    patternProperties: {
      [ANCHOR_KEY.source]: { description: 'Ignored. Use it for anchors.' },
    },
    definitions: {
      record: { ...mapOf(RECORD_KEYS, ['domain']), allOf: [absent, ...exclusions] },
      group: mapOf(GROUP_KEYS, ['group'], level),
      settings: { ...mapOf(SETTING_KEYS), allOf: exclusions },
      target: mapOf(TARGET_KEYS),
      bulk_file: mapOf(FROM_KEYS, ['from']),
      ...mapEntries(SETTING_KEYS, described),
    },
  };
}

export function schemaText(): string {
  return `${JSON.stringify(jsonSchema(), null, 2)}\n`;
}

/**
 * Returns the schema of a map without other keys. The map may be empty unless some keys are `required`. `own`
 * contains the schemas of its sections.
 */
function mapOf(keys: Rows, required?: readonly string[], own: Readonly<Record<string, Json>> = {}): Json {
  return {
    type: required === undefined ? ['object', 'null'] : 'object',
    properties: mapEntries(keys, (key, name) =>
      key === SETTING_KEYS[name] ? definition(name) : described(key, name, own[name]),
    ),
    required,
    additionalProperties: false,
  };
}

function described(key: KeyRow, _name: string, type: Json = typeOf(key as Key)): Json {
  const { summary, examples, cleared } = key;
  return {
    description: cleared === undefined ? summary : `${summary} null ${cleared}.`,
    ...(examples.length > 0 && { examples: examples.map((text) => parse(text)) }),
    ...type,
  };
}

function typeOf(key: Key): Json {
  const { $schema: _, ...type } = z.toJSONSchema(key.schema, { io: 'input', target: 'draft-7' });
  const isScalar = !/"type":"(?:array|object)"/.test(JSON.stringify(type));
  return isScalar ? { anyOf: [...((type.anyOf as Json[] | undefined) ?? [type]), SUBSTITUTED] } : type;
}

function mapEntries<T>(record: Readonly<Record<string, T>>, to: (value: T, name: string) => Json): Json {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, to(value, name)]));
}
