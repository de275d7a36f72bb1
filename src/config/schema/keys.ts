/**
 * The keys of the YAML files. The loader, the JSON Schema and the reference page use these tables. Settings come from
 * the field table.
 */
import * as z from 'zod/mini';
import { whyNoBaseUrl } from '../../model/base-url.ts';
import { whyNoPattern } from '../../model/domain.ts';
import { FIELD_NAMES, FIELDS, type FieldName, SECRET_NAMES } from '../../model/field-table.ts';
import { SWITCH_WORDS, type Value, yesOrNo } from '../../model/field-types.ts';
import type { PruneRule } from '../../model/website.ts';

export interface Key<T = unknown> {
  /** Messages of the schema continue the sentence "KEY …". */
  readonly schema: z.ZodMiniType<T>;
  readonly summary: string;
  readonly examples: readonly string[];
  readonly words?: readonly string[] | undefined;
  readonly cleared?: string | undefined;
}

/** Has no schema if the value may contain maps or records. */
export type KeyRow = Omit<Key, 'schema'> & Partial<Pick<Key, 'schema'>>;

export type Keys = Readonly<Record<string, Key>>;

export type KeyValues<K> = { -readonly [Name in keyof K]?: K[Name] extends Key<infer T> ? T : unknown };

const VERSION = 1;

const text = (what: string) => z.string({ error: `must be ${what}` });
const oneOf = <const Word extends string>(...words: Word[]): Pick<Key<Word>, 'schema' | 'words'> => ({
  schema: z.enum(words, { error: `must be ${words.join(' or ')}` }),
  words,
});
const switchKey: Pick<Key<boolean>, 'schema' | 'words'> = { schema: yesOrNo(), words: SWITCH_WORDS };

const listOf = (item: z.ZodMiniType<string>): z.ZodMiniType<readonly string[]> =>
  z.pipe(
    z.nullable(z.array(item, { error: 'must be a list' })),
    z.transform((raw) => raw ?? []),
  );

/** A domain pattern. Unusual characters in it are reported by the caller. */
const pattern = text('a pattern, as a string').check(
  z.refine((raw) => whyNoPattern(raw) === undefined, {
    error: ({ input }) => {
      const { reason, oddity } = whyNoPattern(String(input)) ?? {};
      const why = reason === undefined || oddity !== undefined ? '' : `: ${reason}`;
      return `${JSON.stringify(input)} is not a valid domain pattern${why}`;
    },
  }),
);

export const SECRET_KEYS: readonly string[] = SECRET_NAMES;
export const ALL_SECRET_KEYS: readonly string[] = [...SECRET_NAMES, 'api_key'];

export const LIST_KEYS: readonly string[] = FIELD_NAMES.filter((name) =>
  Array.isArray(FIELDS[name].kind.empty),
);

export const REFERENCE_KEYS: ReadonlySet<string> = new Set(['env', 'file']);

export const PRESENCE_FIELDS: ReadonlyMap<string, FieldName> = new Map(
  FIELD_NAMES.flatMap((name) => {
    const key = FIELDS[name].presenceKey;
    return key === undefined ? [] : [[key, name]];
  }),
);

const presence = z.pipe(
  yesOrNo(),
  z.transform((raw): Value => raw || null),
);

export const SETTING_KEYS: Readonly<Record<string, Key<Value>>> = Object.fromEntries(
  FIELD_NAMES.flatMap((name): [string, Key<Value>][] => {
    const { kind, summary, examples, cleared, presenceKey } = FIELDS[name];
    const { input: schema, words } = kind;
    const own: [string, Key<Value>] = [name, { schema, words, summary, examples, cleared }];
    if (presenceKey === undefined) return [own];
    const summaryOfPresence = `Whether the website is a favorite. Cannot be combined with \`${name}\`.`;
    const ofPresence = {
      schema: presence,
      words: SWITCH_WORDS,
      summary: summaryOfPresence,
      examples: ['true'],
    };
    return [own, [presenceKey, ofPresence]];
  }),
);

export const DOMAIN_KEY: Key<string> = {
  schema: text('a string, such as shop.example.com'),
  summary: 'The domain of the website, which identifies the record.',
  examples: ['shop.example.com'],
};

export function fieldOf(key: string): FieldName | undefined {
  return Object.hasOwn(FIELDS, key) ? (key as FieldName) : PRESENCE_FIELDS.get(key);
}

interface RecordKeys extends Keys {
  readonly domain: Key<string>;
  readonly state: Key<'present' | 'absent'>;
  readonly protect: Key<boolean>;
}

export const RECORD_KEYS: RecordKeys = {
  domain: DOMAIN_KEY,
  state: {
    ...oneOf('present', 'absent'),
    summary: '`absent` deletes the record. Then only `domain` is allowed.',
    examples: ['absent'],
  },
  ...SETTING_KEYS,
  protect: { ...switchKey, summary: 'Never delete the record.', examples: ['true'] },
};

export const GROUP_KEY: Key<string> = {
  schema: z.string({ error: 'must be a name, as a string' }).check(
    z.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, {
      error: 'must be up to 64 letters, digits, ".", "_" and "-", and start with a letter or digit',
    }),
  ),
  summary: 'The unique name of the group, for `--group` and reports.',
  examples: ['acme'],
};

export const MAX_NESTED_GROUPS = 8;

export const BULK_RECORD_KEYS: RecordKeys = {
  ...RECORD_KEYS,
  group: {
    ...GROUP_KEY,
    summary: 'The group of the website. Its settings replace those around `from`.',
  },
};

/** Keys that read records from another file. */
export const FROM_KEYS = {
  from: {
    schema: text('the name of a file, such as domains.csv'),
    summary: 'A file with one website per line: CSV, TSV, NDJSON, JSON or plain text.',
    examples: ['domains.csv'],
  },
} as const satisfies Keys;

export const SERVICE_KEYS = {
  base_url: {
    schema: z.string({ error: 'must be "local" or a URL' }).check(
      z.refine((raw) => raw === 'local' || whyNoBaseUrl(raw) === undefined, {
        error:
          'must be "local", or a URL such as https://analytics.example.com, without credentials, query or /api/v1',
      }),
    ),
    summary: '`local` (the embedded service) or the service URL. `WEBSITES_BASE_URL` overrides it.',
    examples: ['local', 'https://analytics.example.com'],
  },
  www: {
    ...oneOf('same', 'distinct'),
    summary: 'Whether a domain with and without a leading `www.` is one website.',
    examples: ['same'],
  },
  update: {
    ...oneOf('auto', 'changed', 'full'),
    summary:
      'What an update sends with the changes: what the service might reset (`auto`, the default), nothing (`changed`) or every setting (`full`).',
    examples: ['changed'],
  },
  favorite: {
    ...oneOf('favorited_at', 'favorite'),
    summary: 'How the service accepts a favorite, if its responses do not show it.',
    examples: ['favorite'],
  },
} as const satisfies Keys;

/** Settings of the service that the program must not guess. */
export type ServicePins = Readonly<KeyValues<typeof SERVICE_KEYS>>;

const PRUNE_KEY: Key<PruneRule> = {
  schema: z.union([z.enum(['removed']), yesOrNo()], { error: 'must be true, false or removed' }),
  words: [...SWITCH_WORDS, 'removed'],
  summary:
    'Delete records that are not declared: all (`true`), or those that earlier commits declared (`removed`).',
  examples: ['removed'],
};

const SCOPE_KEY: Key<readonly string[]> = {
  schema: z
    .array(pattern, { error: 'must be a list' })
    .check(z.minLength(1, 'must have at least one pattern')),
  summary:
    'Patterns of the domains that these files manage. Other records are not compared, counted, or deleted.',
  examples: ['["team-b.example", "*.team-b.example"]'],
};

const noReference = { error: 'must be { env: NAME } or { file: PATH }, never the key itself' };

export const TARGET_KEYS = {
  ...SERVICE_KEYS,
  base_url: {
    ...SERVICE_KEYS.base_url,
    summary:
      '`local` or the service URL. `WEBSITES_BASE_URL_NAME`, with the name of the target, overrides it.',
  },
  api_key: {
    schema: z.union(
      [z.strictObject({ env: z.string() }, noReference), z.strictObject({ file: z.string() }, noReference)],
      noReference,
    ),
    summary: 'Where to read the API key. `WEBSITES_API_KEY_NAME`, with the name of the target, overrides it.',
    examples: ['{ env: STAGING_KEY }', '{ file: keys/staging }'],
  },
  scope: {
    ...SCOPE_KEY,
    summary: 'The scope of this target, which replaces that at the top of the files.',
  },
  files: {
    schema: listOf(text('a pattern, as a string')),
    summary: 'Files and directories of this target, in addition to the shared ones.',
    examples: ['[staging/]'],
  },
} as const satisfies Keys;

/** Names of targets. "file" is excluded, because its variable would be WEBSITES_API_KEY_FILE. */
export const TARGET_NAME = '^(?!file$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$';

const DEFAULTS_KEY = {
  summary: 'Default settings of the websites here.',
  examples: ['{ privacy: private }'],
};
const WEBSITES_KEY = {
  summary: 'The websites: domains, maps with a domain and settings, groups, or { from: FILE }.',
  examples: [],
};

export const FILE_KEYS = {
  version: {
    schema: z.literal(VERSION, { error: `must be ${VERSION}, the only version that this release reads` }),
    summary: `The version of this format: ${VERSION}.`,
    examples: [String(VERSION)],
  },
  service: { summary: 'The service to manage.', examples: [] },
  targets: {
    summary: 'Named services, each with its own settings, key, and files. `--target` selects one.',
    examples: [],
  },
  prune: PRUNE_KEY,
  scope: SCOPE_KEY,
  defaults: DEFAULTS_KEY,
  ignore: {
    schema: listOf(pattern),
    summary: 'Patterns of domains to ignore. `*` matches any characters.',
    examples: ['["*.internal.example"]'],
  },
  protected: {
    schema: listOf(pattern),
    summary: 'Patterns of domains whose records are never deleted.',
    examples: ['[example.com]'],
  },
  websites: WEBSITES_KEY,
} as const satisfies Readonly<Record<string, KeyRow>>;

export const GROUP_KEYS = {
  group: GROUP_KEY,
  defaults: DEFAULTS_KEY,
  websites: WEBSITES_KEY,
} as const satisfies Readonly<Record<string, KeyRow>>;

/** Top-level keys for YAML anchors. They are ignored. */
export const ANCHOR_KEY = /^x-/;

/** Key names as shared strings, because look-ups are much faster if all maps use the same string object. */
export const KNOWN_KEYS: ReadonlyMap<string, string> = new Map(
  [FILE_KEYS, SERVICE_KEYS, TARGET_KEYS, RECORD_KEYS, FROM_KEYS, GROUP_KEYS]
    .flatMap(Object.keys)
    .concat(...REFERENCE_KEYS)
    .map((key) => [key, key]),
);
