/** The JSON Schema of the YAML files (draft-07, the latest that editors support), from the tables of keys. */
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

const SUBSTITUTED: Json = { type: 'string', pattern: '\\$\\{' };

/** The JSON Schema, as a printable object. It accepts all that the loader accepts. */
export function jsonSchema(): Json {
  const targets = {
    type: ['object', 'null'],
    propertyNames: { pattern: TARGET_NAME },
    additionalProperties: { $ref: '#/definitions/target' },
  };
  const level = { defaults: SETTINGS, websites: { anyOf: [listOfRecords(), BULK_FILE] } };
  const service = closedMap(SERVICE_KEYS);
  const group = rowsOf(GROUP_KEYS, level);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'websites.yaml',
    description: 'Configuration of websites-as-code.',
    type: 'object',
    properties: rowsOf(FILE_KEYS, { ...level, service, targets }),
    patternProperties: {
      [ANCHOR_KEY.source]: { description: 'Ignored. Use it for anchors.' },
    },
    additionalProperties: false,
    definitions: {
      record: recordSchema(),
      group: { type: 'object', properties: group, required: ['group'], additionalProperties: false },
      settings: { ...closedMap(SETTING_KEYS), allOf: exclusions() },
      target: closedMap(TARGET_KEYS),
      bulk_file: { ...closedMap(FROM_KEYS), type: 'object', required: Object.keys(FROM_KEYS) },
      ...mapEntries(SETTING_KEYS, (key) => ({ ...describe(key), ...typeOf(key) })),
    },
  };
}

export function schemaText(): string {
  return `${JSON.stringify(jsonSchema(), null, 2)}\n`;
}

const BULK_FILE: Json = { $ref: '#/definitions/bulk_file' };
const GROUP: Json = { $ref: '#/definitions/group' };
const SETTINGS: Json = { allOf: [{ $ref: '#/definitions/settings' }] };

function listOfRecords(): Json {
  const domain = typeOf(DOMAIN_KEY);
  return {
    type: ['array', 'null'],
    items: { anyOf: [domain, { $ref: '#/definitions/record' }, GROUP, BULK_FILE] },
  };
}

function recordSchema(): Json {
  const absent = {
    if: { properties: { state: { const: 'absent' } }, required: ['state'] },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: { propertyNames: { enum: ['domain', 'state'] } },
  };
  return {
    ...closedMap(RECORD_KEYS),
    type: 'object',
    required: ['domain'],
    allOf: [absent, ...exclusions()],
  };
}

function exclusions(): Json[] {
  return [...PRESENCE_FIELDS].map((names) => ({ not: { type: 'object', required: names } }));
}

function rowsOf(keys: Readonly<Record<string, KeyRow>>, own: Readonly<Record<string, Json>>): Json {
  return mapEntries(keys, (key, name) => ({ ...describe(key), ...(own[name] ?? typeOf(key as Key)) }));
}

function closedMap(keys: Readonly<Record<string, Key>>): Json {
  return {
    type: ['object', 'null'],
    properties: mapEntries(keys, (key, name) => {
      if (key === SETTING_KEYS[name]) return { $ref: `#/definitions/${name}` };
      return { ...describe(key), ...typeOf(key) };
    }),
    additionalProperties: false,
  };
}

function describe({ summary, examples, cleared }: Omit<Key, 'schema'>): Json {
  return {
    description: cleared === undefined ? summary : `${summary} null ${cleared}.`,
    ...(examples.length === 0 ? {} : { examples: examples.map((text) => parse(text)) }),
  };
}

function typeOf(key: Key): Json {
  const { $schema: _, ...type } = z.toJSONSchema(key.schema, { io: 'input', target: 'draft-7' });
  // Variables stand for a scalar, or in one.
  const isScalar = !/"type":"(?:array|object)"/.test(JSON.stringify(type));
  return isScalar ? { anyOf: [...((type.anyOf as Json[] | undefined) ?? [type]), SUBSTITUTED] } : type;
}

function mapEntries<T>(record: Readonly<Record<string, T>>, to: (value: T, name: string) => Json): Json {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, to(value, name)]));
}
