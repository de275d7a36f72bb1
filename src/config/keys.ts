/**
 * The keys of the YAML files: what each may hold and what it is for. The loader, the JSON Schema
 * and the reference all come from these tables; those of the settings from the field table.
 */
import * as z from 'zod/mini';
import { FIELD_NAMES, FIELDS, type FieldName } from '../core/fields.ts';
import { flag, type Value } from '../core/kinds.ts';
import type { UpdateRule, WwwRule } from '../core/website.ts';

export interface Key<T = unknown> {
  /** Messages end the sentence "KEY …". */
  readonly schema: z.ZodMiniType<T>;
  /** One sentence for the schema and the reference. */
  readonly summary: string;
  /** YAML texts that show how it is written. */
  readonly examples: readonly string[];
  /** What an explicit `null` means; without it, `null` is refused. */
  readonly cleared?: string | undefined;
}

export type Keys = Readonly<Record<string, Key>>;

/** The one version of the format. */
export const VERSION = 1;

const yesOrNo = z.boolean({ error: 'must be true or false' });
const text = (what: string): z.ZodMiniType<string> => z.string({ error: `must be ${what}` });
const oneOf = <const Word extends string>(...words: Word[]): z.ZodMiniType<Word> =>
  z.enum(words, { error: `must be ${words.join(' or ')}` });

const texts = z.pipe(
  z.nullable(z.array(text('a pattern, as text'), { error: 'must be a list' })),
  z.transform((raw) => raw ?? []),
);

export const SECRET_FIELDS: readonly FieldName[] = FIELD_NAMES.filter((name) => FIELDS[name].secret === true);

/** Which field a presence key declares. */
export const PRESENCE_FIELDS: ReadonlyMap<string, FieldName> = new Map(
  FIELD_NAMES.flatMap((name) => {
    const key = FIELDS[name].presenceKey;
    return key === undefined ? [] : [[key, name]];
  }),
);

const presence = z.pipe(
  flag().input,
  z.transform((raw): Value => (raw === true ? true : null)),
);

export const SETTING_KEYS: Readonly<Record<string, Key<Value>>> = Object.fromEntries(
  FIELD_NAMES.flatMap((name): [string, Key<Value>][] => {
    const { kind, summary, examples, cleared, presenceKey } = FIELDS[name];
    const own: [string, Key<Value>] = [name, { schema: kind.input, summary, examples, cleared }];
    if (presenceKey === undefined) return [own];
    const summaryOfPresence = `Whether ${name} has a time, whichever it is; not together with ${name}.`;
    return [own, [presenceKey, { schema: presence, summary: summaryOfPresence, examples: ['true'] }]];
  }),
);

export const DOMAIN_KEY: Key<string> = {
  schema: text('text, such as shop.example.com'),
  summary: 'The domain of the website, which identifies the record.',
  examples: ['shop.example.com'],
};

export const STATE_KEY: Key<'present' | 'absent'> = {
  schema: oneOf('present', 'absent'),
  summary: '`absent` deletes the record; then `domain` is the only other key.',
  examples: ['absent'],
};

export const PROTECT_KEY: Key<boolean> = {
  schema: yesOrNo,
  summary: 'The record is never deleted, whatever else says so.',
  examples: ['true'],
};

export const RECORD_KEYS: Keys = {
  domain: DOMAIN_KEY,
  state: STATE_KEY,
  ...SETTING_KEYS,
  protect: PROTECT_KEY,
};

/** What stands in the place of a record, or of all of them, for those of another file. */
export const FROM_KEYS = {
  from: {
    schema: text('the name of a file, such as domains.csv'),
    summary: 'A file with a record a line: CSV, TSV, NDJSON, JSON or plain text.',
    examples: ['domains.csv'],
  },
} as const satisfies Keys;

/** What the files say about the service; pins of what must not be guessed are further keys. */
export interface ServiceSettings {
  readonly base_url?: string;
  readonly www?: WwwRule;
  readonly update?: UpdateRule;
  /** The form of the favourite, where answers do not show it. */
  readonly favorite?: 'favorited_at' | 'favorite';
}

export const SERVICE_KEYS = {
  base_url: {
    schema: z.string({ error: 'must be "local" or an address' }).check(
      z.refine(isBaseUrl, {
        error: 'must be "local", or an address such as https://analytics.example.com, without a login',
      }),
    ),
    summary: '`local` (the embedded service) or the address of a service. `WEBSITES_BASE_URL` wins.',
    examples: ['local', 'https://analytics.example.com'],
  },
  www: {
    schema: oneOf('same', 'distinct'),
    summary: 'Whether a domain with and without a leading `www.` is one website.',
    examples: ['same'],
  },
  update: {
    schema: oneOf('full', 'changed'),
    summary: 'Whether an update sends every setting or the changed ones alone. The default is `full`.',
    examples: ['changed'],
  },
  favorite: {
    schema: oneOf('favorited_at', 'favorite'),
    summary: 'The form of the favourite that the service takes, where its answers do not show it.',
    examples: ['favorite'],
  },
} as const satisfies { readonly [Name in keyof ServiceSettings]-?: Key<ServiceSettings[Name]> };

function isBaseUrl(raw: string): boolean {
  if (raw === 'local') return true;
  if (!URL.canParse(raw)) return false;
  const { protocol, username, password } = new URL(raw);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

export const PRUNE_KEY: Key<boolean> = {
  schema: yesOrNo,
  summary: 'Delete the records of the service that no file lists.',
  examples: ['true'],
};

export const PATTERN_KEYS = {
  ignore: {
    schema: texts,
    summary: 'Patterns of domains that are never touched or counted; `*` stands for any characters.',
    examples: ['["*.internal.example"]'],
  },
  protected: {
    schema: texts,
    summary: 'Patterns of domains whose records are never deleted.',
    examples: ['[example.com]'],
  },
} as const satisfies Record<string, Key<readonly string[]>>;

/** The keys of a file that hold maps or records have no schema of their own. */
export const FILE_KEYS: Readonly<Record<string, Omit<Key, 'schema'>>> = {
  version: {
    summary: `The version of this format: ${VERSION}.`,
    examples: [String(VERSION)],
  },
  service: { summary: 'Which service the records are on, and what is known of it.', examples: [] },
  prune: PRUNE_KEY,
  defaults: { summary: 'Settings of every record that does not declare them itself.', examples: [] },
  ...PATTERN_KEYS,
  websites: {
    summary:
      'The records: plain domains, maps with a domain and settings, or { from: FILE } for a file of them.',
    examples: [],
  },
};

/** Keys for anchors, at the top of a file: nothing is read from them. */
export const ANCHOR_KEY = /^x-/;
