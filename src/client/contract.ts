/** What is sent: paths, parameters and forms (specification, section 4). */
import { WEBSITES_PATH } from '../model/contract.ts';
import { FIELD_NAMES, FIELDS, SECRET_NAMES } from '../model/field-table.ts';
import { Secret } from '../model/secret.ts';
import type { Traits, WriteValues } from '../model/service.ts';
import { shareMade } from '../util/memoize.ts';

/** Of the parameters of a list, those that its first page is asked for with. */
export interface ListQuery {
  readonly search?: string;
  readonly search_by?: 'domain';
  readonly sort_by?: 'id';
  readonly sort?: 'desc';
  readonly per_page?: number;
}

/** The path and query of a list request. */
export function listPath(query: ListQuery): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
  return `${WEBSITES_PATH}?${parameters}`;
}

export function recordPath(id: string): string {
  return `${WEBSITES_PATH}/${encodeURIComponent(id)}`;
}

const MAX_SHARED = 10_000;

/**
 * Returns what makes the form of a write, with `domain` if it names one. Each field goes by the wire name that the
 * service was seen to use. Alike changes share their text, but for secrets, which are not kept as text.
 */
export function createFormEncoder() {
  const shared = shareMade<string>(MAX_SHARED);
  return (values: WriteValues, wireNames: Traits['wireNames'], domain?: string): string => {
    const encode = (): string => encodeValues(values, wireNames);
    const hasSecret = SECRET_NAMES.some((name) => values[name] instanceof Secret);
    const form = hasSecret ? encode() : shared([values, wireNames], encode);
    const named = domain === undefined ? [] : [`domain=${encodeURIComponent(domain)}`];
    return [...named, form].filter(Boolean).join('&');
  };
}

function encodeValues(values: WriteValues, wireNames: Traits['wireNames']): string {
  const form = new URLSearchParams();
  for (const name of FIELD_NAMES) {
    const value = values[name];
    if (value === undefined) continue;
    const wire = wireNames[name] ?? FIELDS[name].wire[0];
    form.append(wire, value instanceof Secret ? value.reveal() : FIELDS[name].kind.encode(value, wire));
  }
  return form.toString();
}
