/** What to do about settings that a killed run may have reset: a function of what was owed and of what there is now. */
import { isNamed } from '../model/domain.ts';
import { FIELDS, type FieldName, type Settings } from '../model/field-table.ts';
import { isEmpty } from '../model/field-types.ts';
import type { Website } from '../model/website.ts';

/** What an update may have reset. */
export interface Owing {
  readonly domain: string;
  readonly id: string;
  /** When it was about to be sent, as an instant. */
  readonly at: string;
  /** What the record showed right before, and what of that the update omitted. */
  readonly settings: Settings;
  readonly left: readonly FieldName[];
}

export type OwedJudgment =
  /** All is as it was. */
  | { readonly what: 'kept' }
  /** `fields` were emptied, or set to a constant: by the update, and by nobody else. */
  | { readonly what: 'lost'; readonly fields: readonly FieldName[]; readonly isOld: boolean }
  /** `fields` show what no reset makes of them. */
  | { readonly what: 'edited'; readonly fields: readonly FieldName[] }
  /** There is nothing to put back, or it is not ours to. */
  | { readonly what: 'out of reach'; readonly why: string };

/** What is owed for longer is not put back without being asked for, in milliseconds. */
const FRESH_MS = 3_600_000;

/** `now` is in milliseconds since 1970, `website` what the id shows now. */
export function judgeOwed(
  { domain, id, at, settings, left }: Owing,
  website: Website | undefined,
  isIgnored: (domain: string) => boolean,
  now: number,
): OwedJudgment {
  if (website === undefined) return { what: 'out of reach', why: `record #${id} no longer exists` };
  if (!isNamed(website, domain)) return { what: 'out of reach', why: `record #${id} has another domain now` };
  if (isIgnored(domain)) return { what: 'out of reach', why: 'the configuration ignores it' };
  const fields = left.filter((name) => {
    const [was, is] = [settings[name], website.settings[name]];
    return was !== undefined && is !== undefined && !FIELDS[name].kind.equal(was, is);
  });
  if (fields.length === 0) return { what: 'kept' };
  const isReset = (name: FieldName): boolean => {
    const value = website.settings[name];
    return typeof value === 'boolean' || typeof value === 'number' || isEmpty(value ?? null);
  };
  if (!fields.every(isReset)) return { what: 'edited', fields };
  const age = now - Date.parse(at);
  return { what: 'lost', fields, isOld: !(age >= 0 && age < FRESH_MS) };
}
