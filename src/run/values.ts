import {
  allFields,
  type Change,
  type Create,
  type FieldChange,
  type FieldChanges,
  isSecretChange,
  neededSecrets,
  sendsSecret,
  type Update,
  withoutPassword,
} from '../model/change.ts';
import { type Problem, WebsitesError } from '../model/errors.ts';
import { FIELD_NAMES, FIELDS, type FieldName, type Settings } from '../model/field-table.ts';
import type { Value } from '../model/field-types.ts';
import type { RunFact } from '../model/run.ts';
import { formatSecretRef, type ResolveSecret, Secret } from '../model/secret.ts';
import type { WriteValues } from '../model/service.ts';
import { sameValue } from '../planner/diff.ts';
import type { UpdateForm } from '../planner/update-form.ts';
import { groupBy } from '../util/group-by.ts';
import { shareMade } from '../util/memoize.ts';

export type Secrets = ReadonlyMap<string, Secret>;

/** Removes a password that would only be sent along with other values, if its secret is not available. */
export function withSecrets(change: Change, secrets: Secrets): Change {
  if (!sendsSecret(change)) return change;
  const isThere = [...neededSecrets([change]).keys()].every((name) => secrets.has(name));
  return isThere ? change : withoutPassword(change);
}

export async function resolveSecrets(changes: readonly Change[], resolve: ResolveSecret) {
  const secrets = new Map<string, Secret>();
  const missing = new Map<string, WebsitesError>();
  for (const [key, ref] of neededSecrets(changes)) {
    try {
      secrets.set(key, await resolve(ref));
    } catch (error) {
      if (!(error instanceof WebsitesError)) throw error;
      missing.set(key, error);
    }
  }
  return { secrets, missing };
}

export function secretFacts(secrets: Secrets): RunFact[] {
  const found = [...secrets].flatMap(([name, { warnings }]) =>
    warnings.map(({ message }) => ({ name, message })),
  );
  return groupBy(found, ({ message }) => message).map(([warning, of]) => {
    return { code: 'secret-warning', warning, secrets: of.map(({ name }) => name) };
  });
}

/** A secret that is not in `due` may be missing: its password is only sent along with other values. */
export function missingError(
  missing: ReadonlyMap<string, WebsitesError>,
  due: Pick<Secrets, 'has'> = missing,
): WebsitesError | undefined {
  const errors = [...missing].flatMap(([name, error]) => (due.has(name) ? error : []));
  if (errors.length < 2) return errors[0];
  const problems = errors.map(({ message, remedy, place }): Problem => {
    return { severity: 'error', message: message.replace(/\.$/, ''), remedy, place };
  });
  return new WebsitesError('secret-missing', `${errors.length} secrets to send are not available.`, {
    problems,
    remedy: 'Nothing was sent. Set these secrets, then run the command again.',
  });
}

type Writable = { [Name in FieldName]?: Value | Secret };

function declared(fields: FieldChanges, secrets: Secrets): Writable {
  const values: Writable = {};
  for (const [name, change] of Object.entries(fields) as [FieldName, FieldChange][]) {
    if (!isSecretChange(change)) values[name] = change.after;
    else if (change.ref === null) values[name] = null;
    else {
      const secret = secrets.get(formatSecretRef(change.ref));
      if (secret === undefined) throw new Error(`A secret of ${name} was not resolved.`);
      values[name] = secret;
    }
  }
  return values;
}

export type Values = ReturnType<typeof createValues>;

const MAX_SHARED = 10_000;

export function createValues(secrets: Secrets, plannedAt: string) {
  const shared = shareMade<WriteValues>(MAX_SHARED);
  const timed = (values: Writable): WriteValues => {
    for (const name of FIELD_NAMES) {
      if (FIELDS[name].presenceKey !== undefined && values[name] === true) values[name] = plannedAt;
    }
    return values;
  };
  return {
    /** Contains only declared settings. The service sets defaults for the others. */
    ofCreate: ({ fields }: Pick<Create, 'fields'>): WriteValues =>
      shared([fields], () => timed(declared(fields, secrets))),
    /** If a declared value equals the shown one, sends the shown form. A favorite keeps its time that way. */
    ofUpdate(change: Update, form: Pick<UpdateForm, 'declared' | 'asRead'>, shown: Settings): WriteValues {
      const known = declared(allFields(change), secrets);
      const values: Writable = {};
      for (const name of form.asRead) values[name] = shown[name] ?? null;
      for (const name of form.declared) {
        // If the plan found a declared value unchanged, it is sent in the form that the service shows.
        const wanted = known[name] === undefined ? (change.before[name] ?? null) : known[name];
        const isShown = !(wanted instanceof Secret) && sameValue(name, wanted, shown[name]);
        values[name] = isShown ? (shown[name] ?? null) : wanted;
      }
      return timed(values);
    },
  };
}
