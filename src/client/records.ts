import { WEBSITES_PATH } from '../model/contract.ts';
import { FIELD_NAMES, FIELDS, SECRET_NAMES } from '../model/field-table.ts';
import { Secret } from '../model/secret.ts';
import type { Traits, WebsiteService, WriteValues } from '../model/service.ts';
import type { Website } from '../model/website.ts';
import { shareMade } from '../util/memoize.ts';
import type { Learner } from './capabilities.ts';
import { decodeOne, ShapeError } from './decode.ts';
import type { Exchange } from './request.ts';

export function recordOperations(
  exchange: Exchange,
  { traits, readShown, learn, noteSent }: Learner,
): Pick<WebsiteService, 'read' | 'create' | 'update' | 'remove'> {
  const encode = createFormEncoder();

  /** `domain` is the name of a record that shows none. */
  function decodeRecord(json: unknown, from: 'read' | 'write', domain?: string): Website {
    const { website, shown } = decodeOne(json, domain, readShown);
    learn(shown, from);
    return website;
  }

  return {
    read(id) {
      return exchange.carryOut(
        { operation: 'read', path: recordPath(id), subject: `record #${id}` },
        ({ isMissing, json }) => {
          if (isMissing) return undefined;
          const website = decodeRecord(json, 'read');
          // Otherwise another record would be overwritten.
          if (website.id !== id) throw new ShapeError('id', `expected ${id}`);
          return website;
        },
      );
    },

    create(domain, values, permit) {
      const form = encode(values, traits.wireNames, domain);
      const call = { path: WEBSITES_PATH, subject: domain, form, values, permit };
      return exchange.carryOut({ operation: 'create', ...call }, ({ json }) => {
        noteSent(values);
        return decodeRecord(json, 'write', domain);
      });
    },

    update(id, domain, values, permit) {
      const form = encode(values, traits.wireNames);
      const call = { path: recordPath(id), subject: domain, form, values, permit };
      return exchange.carryOut({ operation: 'update', ...call }, ({ isMissing, json }) => {
        if (isMissing) return 'vanished';
        noteSent(values);
        try {
          return decodeRecord(json, 'write', domain);
        } catch (error) {
          // A response without the record only confirms the update.
          if (error instanceof ShapeError) return { id, domain, settings: {} };
          throw error;
        }
      });
    },

    remove(id, domain, permit) {
      const call = { path: recordPath(id), subject: domain, permit };
      return exchange.carryOut({ operation: 'delete', ...call }, () => undefined);
    },
  };
}

function recordPath(id: string): string {
  return `${WEBSITES_PATH}/${encodeURIComponent(id)}`;
}

const MAX_SHARED = 10_000;

/** Fields use the wire names of the service. Equal changes share their text, except with secrets. */
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
