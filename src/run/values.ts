import {
  allFields,
  type Change,
  type Create,
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
import { formatSecretRef, Secret, type SecretRef } from '../model/secret.ts';
import type { WriteValues } from '../model/service.ts';
import type { UpdateForm } from '../planner/update-form.ts';
import { shareMade } from '../util/memoize.ts';
import { DOUBTS, type Doubt } from '../util/secret-text.ts';
import { joinShortened } from '../util/text.ts';

export type ResolveSecret = (ref: SecretRef) => Promise<Secret>;

export type Secrets = ReadonlyMap<string, Secret>;

/** Throws `secret-missing` with all missing secrets, except those that updates send only with other values. */
export async function resolveSecrets(changes: readonly Change[], resolve: ResolveSecret): Promise<Secrets> {
  const { secrets, missing } = await lookUp(changes, resolve);
  const due = neededSecrets(changes.map(withoutPassword));
  const error = missingError(new Map([...missing].filter(([name]) => due.has(name))));
  if (error !== undefined) throw error;
  return secrets;
}

/** Removes a password that is sent only with other values, if it is not available: it counts as not declared. */
export function withSecrets(change: Change, secrets: Secrets): Change {
  if (!sendsSecret(change)) return change;
  const isThere = [...neededSecrets([change]).keys()].every((name) => secrets.has(name));
  return isThere ? change : withoutPassword(change);
}

/** Returns unavailable secrets that `changes` send, by formatted reference, with the reason. */
export async function missingSecrets(changes: readonly Change[], resolve: ResolveSecret): Promise<Unset> {
  return (await lookUp(changes, resolve)).missing;
}

type Unset = ReadonlyMap<string, WebsitesError>;

async function lookUp(changes: readonly Change[], resolve: ResolveSecret) {
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

export function doubtNotes(secrets: Secrets): readonly string[] {
  const names = new Map<Doubt, string[]>();
  for (const [name, { doubts }] of secrets) {
    for (const doubt of doubts) names.set(doubt, [...(names.get(doubt) ?? []), name]);
  }
  return [...names].map(([doubt, of]) => `A secret ${DOUBTS[doubt].message}: ${joinShortened(of)}.`);
}

export function missingError(missing: Unset): WebsitesError | undefined {
  const [first, ...others] = missing.values();
  return others.length === 0 ? first : severalMissing([...missing.values()]);
}

function severalMissing(missing: readonly WebsitesError[]): WebsitesError {
  const problems = missing.map(
    ({ message, remedy, place }): Problem => ({
      severity: 'error',
      message: message.replace(/\.$/, ''),
      ...(remedy === undefined ? {} : { remedy }),
      ...(place === undefined ? {} : { place }),
    }),
  );
  return new WebsitesError('secret-missing', `${missing.length} secrets to send are not available.`, {
    problems,
    remedy: 'Nothing was sent. Fix the secrets above.',
  });
}

type Writable = { [Name in FieldName]?: Value | Secret };

function declared(fields: FieldChanges, secrets: Secrets): Writable {
  const values: Writable = {};
  for (const name of FIELD_NAMES) {
    const change = fields[name];
    if (change === undefined) continue;
    if (!isSecretChange(change)) values[name] = change.after;
    else values[name] = change.ref === null ? null : resolved(change.ref, secrets);
  }
  return values;
}

function resolved(ref: SecretRef, secrets: Secrets): Secret {
  const secret = secrets.get(formatSecretRef(ref));
  if (secret === undefined) throw new Error(`The secret ${formatSecretRef(ref)} was not resolved.`);
  return secret;
}

function timed(values: Writable, plannedAt: string): WriteValues {
  for (const name of FIELD_NAMES) {
    if (FIELDS[name].presenceKey !== undefined && values[name] === true) values[name] = plannedAt;
  }
  return values;
}

type Sent = Pick<UpdateForm, 'declared' | 'asRead'>;

export type Values = ReturnType<typeof createValues>;

const MAX_SHARED = 10_000;

export function createValues(secrets: Secrets, plannedAt: string) {
  const shared = shareMade<WriteValues>(MAX_SHARED);
  return {
    /** Only declared fields: the service sets its defaults. */
    ofCreate: ({ fields }: Pick<Create, 'fields'>): WriteValues =>
      shared([fields], () => timed(declared(fields, secrets), plannedAt)),
    /** A declared value equal to the shown one goes as shown: a favorite keeps its time. */
    ofUpdate(change: Update, form: Sent, shown: Settings): WriteValues {
      return timed(valuesOf(form, declared(allFields(change), secrets), change.before, shown), plannedAt);
    },
  };
}

function valuesOf(
  { declared, asRead }: Sent,
  known: WriteValues,
  before: Settings,
  shown: Settings,
): Writable {
  const values: Writable = {};
  for (const name of FIELD_NAMES) {
    const now = shown[name];
    if (asRead.includes(name) && now !== undefined) values[name] = now;
    if (!declared.includes(name)) continue;
    // A declared value that the plan found unchanged goes in the form that the service uses.
    const wanted = known[name] === undefined ? (before[name] ?? null) : known[name];
    values[name] = now !== undefined && isShown(name, wanted, now) ? now : wanted;
  }
  return values;
}

function isShown(name: FieldName, wanted: Value | Secret, shown: Value): boolean {
  return !(wanted instanceof Secret) && FIELDS[name].kind.equal(wanted, shown);
}
