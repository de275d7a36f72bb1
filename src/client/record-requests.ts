import { WEBSITES_PATH } from '../model/contract.ts';
import { FIELD_NAMES, FIELDS } from '../model/field-table.ts';
import { Secret } from '../model/secret.ts';
import type { Traits, WebsiteService, WriteValues } from '../model/service.ts';
import { decodeOne, type Learner, ShapeError } from './decode.ts';
import type { Exchange } from './request.ts';

export function recordOperations(
  exchange: Exchange,
  { traits, shown, noteSent }: Learner,
): Pick<WebsiteService, 'read' | 'create' | 'update' | 'remove'> {
  return {
    read(id) {
      return exchange.request(
        { operation: 'read', path: recordPath(id), subject: `record #${id}` },
        ({ isMissing, json }) => {
          if (isMissing) return undefined;
          const website = decodeOne(json, shown.read);
          // An update by this response would overwrite another record.
          if (website.id !== id) throw new ShapeError('id', `expected ${id}`);
          return website;
        },
      );
    },

    create(domain, values, permit) {
      const form = encodeForm(values, traits.wireNames, domain);
      const call = { path: WEBSITES_PATH, subject: domain, form, values, permit };
      return exchange.request({ operation: 'create', ...call }, ({ json }) => {
        noteSent(values);
        return decodeOne(json, shown.write, domain);
      });
    },

    update(id, domain, values, permit) {
      const form = encodeForm(values, traits.wireNames);
      const call = { path: recordPath(id), subject: domain, form, values, permit };
      return exchange.request({ operation: 'update', ...call }, ({ isMissing, json }) => {
        if (isMissing) return 'vanished';
        noteSent(values);
        try {
          return decodeOne(json, shown.write, domain);
        } catch (error) {
          // If the response does not contain the record, it only confirms the update.
          if (error instanceof ShapeError) return { id, domain, settings: {} };
          throw error;
        }
      });
    },

    remove(id, domain, permit) {
      const call = { path: recordPath(id), subject: domain, permit };
      return exchange.request({ operation: 'delete', ...call }, () => undefined);
    },
  };
}

function recordPath(id: string): string {
  return `${WEBSITES_PATH}/${encodeURIComponent(id)}`;
}

/** Fields have the names that the service uses. */
export function encodeForm(values: WriteValues, wireNames: Traits['wireNames'], domain?: string): string {
  const form = new URLSearchParams(domain === undefined ? {} : { domain });
  for (const name of FIELD_NAMES) {
    const value = values[name];
    if (value === undefined) continue;
    const wire = wireNames[name] ?? FIELDS[name].wire[0];
    form.append(wire, value instanceof Secret ? value.reveal() : FIELDS[name].kind.encode(value, wire));
  }
  return form.toString();
}
