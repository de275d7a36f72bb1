/** Which declared passwords have changed, as far as websites.lock tells, and keeping it up to date. */
import { join } from 'node:path';
import type { Config } from '../config/load.ts';
import type { Fingerprints } from '../config/secrets/fingerprint.ts';
import {
  LOCK_FILE,
  type LockEntries,
  type LockEntry,
  lockFileText,
  readLockFile,
} from '../config/secrets/lock-file.ts';
import { inTurn } from '../lock/mutex.ts';
import {
  allFields,
  type Change,
  type FieldChange,
  type FieldChanges,
  hasSecret,
  isSecretChange,
  sendsSecret,
} from '../model/change.ts';
import { wwwTwin } from '../model/domain.ts';
import { WebsitesError } from '../model/errors.ts';
import { isSecretRef, type SecretRef } from '../model/secret.ts';
import type { WwwRule } from '../model/website.ts';
import { passwordsLock } from './state.ts';
import { writeWhole } from './write-atomic.ts';

/** What resolves references; a reference that cannot be resolved is "not checked". */
type Secrets = Config['secrets'];

/** Domains by what websites.lock tells of their declared passwords; those that it has no entry of are in no set. */
interface ComparedPasswords {
  /** It is the one that websites.lock knows. */
  readonly sent: ReadonlySet<string>;
  /** It is not the one that websites.lock knows. */
  readonly changed: ReadonlySet<string>;
  /** It cannot be had here, or its entry was made with another key. */
  readonly unchecked: ReadonlySet<string>;
}

export async function comparePasswords(
  config: Config,
  fingerprints: Fingerprints,
): Promise<ComparedPasswords> {
  const entries = await readLockFile(config.root);
  const [sent, changed, unchecked] = [new Set<string>(), new Set<string>(), new Set<string>()];
  if (entries === undefined) return { sent, changed, unchecked };
  for (const { domain, settings } of config.desired.websites) {
    const { password } = settings;
    const name = nameIn(entries, domain, config.pins.www);
    const entry = entries.get(name);
    if (entry === undefined || !isSecretRef(password)) continue;
    const isOurs = entry.key === fingerprints.keyId;
    const fingerprint = isOurs && (await fingerprintOf(password, name, config.secrets, fingerprints));
    if (!fingerprint) unchecked.add(domain);
    else (fingerprint === entry.fingerprint ? sent : changed).add(domain);
  }
  return { sent, changed, unchecked };
}

/** How many declared passwords websites.lock knows nothing of, so that nobody notices when they change. */
export async function unknownPasswords(
  { desired, root, pins }: Pick<Config, 'desired' | 'root' | 'pins'>,
  { keyId }: Pick<Fingerprints, 'keyId'>,
): Promise<number> {
  const entries: LockEntries = (await readLockFile(root)) ?? new Map();
  const unknown = desired.websites.filter(
    ({ domain, settings }) =>
      isSecretRef(settings.password) && entries.get(nameIn(entries, domain, pins.www))?.key !== keyId,
  );
  return unknown.length;
}

async function fingerprintOf(ref: SecretRef, domain: string, secrets: Secrets, fingerprints: Fingerprints) {
  const secret = await secrets.resolve(ref).catch(() => undefined);
  return secret && fingerprints.of(domain, secret);
}

/** The changes with a fingerprint beside every secret that they send and that can be had here. */
export async function withFingerprints(
  changes: readonly Change[],
  secrets: Secrets,
  fingerprints: Fingerprints,
): Promise<readonly Change[]> {
  const marked: Change[] = [];
  for (const change of changes) {
    const initial = change.action === 'create' ? change.initial : undefined;
    if (change.action === 'delete' || !(sendsSecret(change) || (initial && hasSecret(initial)))) {
      marked.push(change);
      continue;
    }
    const stamp = (fields: FieldChanges) =>
      hasSecret(fields) ? stamped(fields, change.domain, secrets, fingerprints) : fields;
    marked.push(
      change.action === 'create'
        ? { ...change, fields: await stamp(change.fields), ...(initial && { initial: await stamp(initial) }) }
        : { ...change, fields: await stamp(change.fields), alongside: await stamp(change.alongside) },
    );
  }
  return marked;
}

async function stamped(fields: FieldChanges, domain: string, secrets: Secrets, fingerprints: Fingerprints) {
  const entries: [string, FieldChange][] = [];
  for (const [name, field] of Object.entries(fields)) {
    const ref = isSecretChange(field) ? field.ref : null;
    const fingerprint = ref && (await fingerprintOf(ref, domain, secrets, fingerprints));
    entries.push([name, fingerprint ? { ...field, fingerprint } : field]);
  }
  return Object.fromEntries(entries) as FieldChanges;
}

/** Every secret of `changes` with its domain and the fingerprint that a saved plan has of it. */
export function* sentSecrets(changes: readonly Change[]) {
  for (const change of changes) {
    if (change.action === 'delete') continue;
    for (const field of Object.values(allFields(change))) {
      if (isSecretChange(field)) yield { domain: change.domain, ...field };
    }
  }
}

/** The same with the secrets of new records, which are sent with the create alone. */
export function* approvedSecrets(changes: readonly Change[]) {
  yield* sentSecrets(changes);
  for (const change of changes) {
    for (const field of Object.values((change.action === 'create' && change.initial) || {})) {
      if (isSecretChange(field)) yield { domain: change.domain, ...field };
    }
  }
}

/** In the place of a fingerprint: it was about to be sent, so the service may have it, or still the one before. */
const IN_DOUBT = 'in doubt';

/** What websites.lock has, or is to have, of each domain; `undefined` where that is nothing. */
type News = ReadonlyMap<string, LockEntry | undefined>;

const NO_NEWS: News = new Map();

/**
 * Has websites.lock, where there is one, call the passwords that `changes` send in doubt: of a run that is killed, each
 * counts as changed. Returns what it had of them; where it cannot be written, nothing, and the end of the run tells.
 * Throws `file-failed` where it is damaged.
 */
export async function putInDoubt(
  changes: readonly Change[],
  root: string,
  { keyId }: Pick<Fingerprints, 'keyId'>,
  www?: WwwRule,
): Promise<News> {
  if ((await readLockFile(root)) === undefined) return NO_NEWS;
  const domains = [...sentSecrets(changes)].map(({ domain }) => domain);
  if (domains.length === 0) return NO_NEWS;
  return inTurn(passwordsLock(root), async () => {
    const before = await readLockFile(root);
    const named = [...domains, ...twinsOf(domains, www).filter((twin) => before?.has(twin))];
    const doubts = named.map((domain) => [domain, { key: keyId, fingerprint: IN_DOUBT }] as const);
    await writeWhole(join(root, LOCK_FILE), [textWith(before, new Map(doubts))], root);
    return new Map(named.map((domain) => [domain, before?.get(domain)]));
  }).catch(() => NO_NEWS);
}

/** What a run did to passwords. */
export interface Sent {
  readonly done: readonly Change[];
  /** What the run that it goes on with had done. */
  readonly earlier?: readonly Change[];
  /** Domains of changes that may have been carried out. */
  readonly unknown?: ReadonlySet<string>;
  /** What putInDoubt returned. */
  readonly before?: News | undefined;
  readonly www?: WwwRule | undefined;
}

/**
 * Writes what was sent into websites.lock, where there is one or `begin` asks for it; runs side by side
 * each add to what the others have written. Returns whether it is another than before the run, and has to be
 * committed. Throws `file-failed`.
 */
export async function updateLockFile(
  { done, earlier = [], unknown = new Set(), before = NO_NEWS, www }: Sent,
  { root, secrets }: { readonly root: string; readonly secrets: Secrets },
  fingerprints: Fingerprints,
  begin: boolean,
): Promise<boolean> {
  const isThere = (await readLockFile(root)) !== undefined;
  if (!isThere && !begin) return false;
  const inDoubt = new Set([...unknown, ...twinsOf([...unknown], www)]);
  const known = [...sentSecrets([...earlier, ...done])].map(({ domain }) => domain);
  const news: News = new Map([
    ...[...before].filter(([domain]) => !inDoubt.has(domain)),
    ...twinsOf(known, www).map((twin) => [twin, undefined] as const),
    ...recordedNews(earlier, fingerprints),
    ...(await newsOf(done, secrets, fingerprints)),
  ]);
  if (isThere && news.size === 0) return false;
  return inTurn(passwordsLock(root), async () => {
    const now = await readLockFile(root);
    const text = textWith(now, news);
    if (now === undefined || text !== textWith(now)) {
      await writeWhole(join(root, LOCK_FILE), [text], root).catch((error: Error) => {
        throw new WebsitesError('file-failed', error.message, {
          remedy:
            'Make it writable; an apply with "--track-passwords --resend-passwords" then writes down what was sent.',
          cause: error,
        });
      });
    }
    return now === undefined || text !== textWith(now, before);
  });
}

function textWith(entries: LockEntries = new Map(), news: News = NO_NEWS): string {
  return lockFileText(new Map([...entries, ...news]));
}

/** The other names of websites, where `www` says that they have some: one of the names has the entry. */
function twinsOf(domains: readonly string[], www: WwwRule | undefined): readonly string[] {
  return www === 'same' ? domains.map(wwwTwin) : [];
}

/** The name that a website has in `entries`, if it is in them. */
function nameIn(entries: LockEntries, domain: string, www: WwwRule | undefined): string {
  return [domain, ...twinsOf([domain], www)].find((name) => entries.has(name)) ?? domain;
}

/** What websites.lock is to hold of what an earlier run sent, as its plan has it; what that does not tell stays in doubt. */
function recordedNews(earlier: readonly Change[], { keyId }: Fingerprints): News {
  const news = new Map<string, LockEntry | undefined>();
  for (const { domain, ref, fingerprint } of sentSecrets(earlier)) {
    if (ref === null) news.set(domain, undefined);
    else if (fingerprint !== undefined) news.set(domain, { key: keyId, fingerprint });
  }
  return news;
}

/** The same of what this run did. */
async function newsOf(done: readonly Change[], secrets: Secrets, fingerprints: Fingerprints): Promise<News> {
  const news = new Map<string, LockEntry | undefined>();
  for (const change of done) if (change.action === 'delete') news.set(change.domain, undefined);
  for (const { domain, ref } of sentSecrets(done)) {
    const fingerprint = ref && (await fingerprintOf(ref, domain, secrets, fingerprints));
    news.set(domain, fingerprint ? { key: fingerprints.keyId, fingerprint } : undefined);
  }
  return news;
}
