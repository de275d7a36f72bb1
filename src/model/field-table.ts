/**
 * The one description of each field. Schema, encoder, decoder, comparison, service and docs use it (decision: "A
 * setting is described once").
 */

import { choice, flag, type Kind, oneLine, presence, secret, set, type Value } from './field-types.ts';
import { canonicalAddress } from './ip-address.ts';
import type { Risk } from './risk.ts';

export interface Field {
  readonly kind: Kind;
  readonly summary: string;
  readonly examples: readonly string[];
  /** Names in requests and responses, the usual one first. Responses show which name a service uses. */
  readonly wire: readonly [string, ...string[]];
  /** Describes what `null` in YAML does. Missing if `null` is not allowed. */
  readonly cleared?: string;
  /** YAML key that declares only the presence: true means present at any time, false means absent. */
  readonly presenceKey?: string;
  /** The value is never read, printed or stored. Responses show at most if it is set. */
  readonly secret?: true;
  /** Returns the risk of a change that is not routine. `before` is undefined if it is unknown. */
  risk?(before: Value | undefined, after: Value): Risk | undefined;
}

export const PRIVACY = { public: 0, private: 1, password: 2 } as const;

const OPENNESS: ReadonlyMap<Value | undefined, number> = new Map([
  [PRIVACY.private, 0],
  [PRIVACY.password, 1],
  [PRIVACY.public, 2],
]);

// Constants, because many changes share them.
const EMPTIED: Risk = { level: 'medium', reason: 'exclusions emptied' };
const LOOSENED: Risk = { level: 'high', reason: 'privacy loosened' };
const UNKNOWN_PRIVACY: Risk = { level: 'high', reason: 'privacy of unknown meaning' };
const PASSWORD_REMOVED: Risk = { level: 'critical', reason: 'password removed' };
const PASSWORD_CHANGED: Risk = { level: 'medium', reason: 'password changed' };
const BOTS_COUNTED: Risk = { level: 'medium', reason: 'bots counted again' };

function emptied(before: Value | undefined, after: Value): Risk | undefined {
  const had = before === undefined || (Array.isArray(before) && before.length > 0);
  return had && Array.isArray(after) && after.length === 0 ? EMPTIED : undefined;
}

function loosened(before: Value | undefined, after: Value): Risk | undefined {
  if (before === undefined) return undefined;
  if (!OPENNESS.has(before) || !OPENNESS.has(after)) return UNKNOWN_PRIVACY;
  return isMoreOpen(after, before) ? LOOSENED : undefined;
}

/** True if privacy `value` shows a website to more people than `other`. False if one of them is unknown. */
export function isMoreOpen(value: Value, other: Value): boolean {
  return (OPENNESS.get(value) ?? Number.NaN) > (OPENNESS.get(other) ?? Number.NaN);
}

const TABLE = {
  privacy: {
    kind: choice(PRIVACY),
    summary: 'Who may see the website: public (0), private (1) or anyone with the password (2).',
    examples: ['private', '2'],
    wire: ['privacy'],
    risk: loosened,
  },
  password: {
    kind: secret(),
    summary: 'The password that applies with `privacy: password`. The service never returns it.',
    examples: ['{ env: SHOP_PASSWORD }', '{ file: ./secret }'],
    wire: ['password'],
    cleared: 'removes the password',
    secret: true,
    risk: (_before, after) => (after === null ? PASSWORD_REMOVED : PASSWORD_CHANGED),
  },
  email: {
    kind: flag(),
    summary: 'Periodic reports by e-mail.',
    examples: ['true', '0'],
    wire: ['email'],
  },
  exclude_bots: {
    kind: flag(),
    summary: 'Exclude visits of known bots.',
    examples: ['true', '0'],
    wire: ['exclude_bots'],
    risk: (_before, after) => (after === false ? BOTS_COUNTED : undefined),
  },
  exclude_params: {
    kind: set('a query parameter', oneLine),
    summary: 'Query parameters to exclude from URLs, in any order.',
    examples: ['[utm_source, utm_medium]'],
    wire: ['exclude_params'],
    cleared: 'empties the list',
    risk: emptied,
  },
  exclude_ips: {
    kind: set('an IP address or network', canonicalAddress),
    summary: 'IP addresses and networks whose visits are excluded, in any order.',
    examples: ['[192.0.2.0/24, "2001:db8::1"]'],
    wire: ['exclude_ips'],
    cleared: 'empties the list',
    risk: emptied,
  },
  favorited_at: {
    kind: presence('favorite'),
    summary: 'When the website became a favorite, with seconds, in UTC unless you give an offset.',
    examples: ['2026-01-31T09:00:00'],
    wire: ['favorited_at', 'favorite'],
    cleared: 'removes the favorite',
    presenceKey: 'favorite',
  },
} as const satisfies Record<string, Field>;

export type FieldName = keyof typeof TABLE;

export const FIELDS: Readonly<Record<FieldName, Field>> = TABLE;

export const FIELD_NAMES = Object.keys(TABLE) as readonly FieldName[];

export const READABLE_NAMES: readonly FieldName[] = FIELD_NAMES.filter((name) => !FIELDS[name].secret);
export const SECRET_NAMES: readonly FieldName[] = FIELD_NAMES.filter((name) => FIELDS[name].secret);

/** A missing field is undeclared (desired settings) or not shown (current settings). */
export type Settings = { readonly [Name in FieldName]?: Value };

export type SettingsDraft = { -readonly [Name in keyof Settings]: Settings[Name] };

/** Adds the empty value for each of `names` that is missing in `settings`, if its field has an empty value. */
export function withEmpty(settings: Settings, names: readonly FieldName[]): Settings {
  const whole: SettingsDraft = { ...settings };
  for (const name of names) {
    const { empty } = FIELDS[name].kind;
    if (whole[name] === undefined && empty !== undefined) whole[name] = empty;
  }
  return whole;
}

/** True for a number or boolean field. Such a field has no empty value. */
export function isNumeric(name: FieldName): boolean {
  return FIELDS[name].kind.empty === undefined && !FIELDS[name].secret;
}
