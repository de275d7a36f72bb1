/**
 * Two commands with edits by others between them, through the built program, on a random service: a saved plan and
 * its apply, or an apply and its undo. Writes meet faults, and each command may be killed; then it runs again.
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { runBuilt } from '../built.ts';
import { type Ended, startCli } from '../cli.ts';
import {
  type Dialect,
  type Fault,
  type ScriptedService,
  type StoredRecord,
  startScriptedService,
} from '../scripted-service.ts';
import { dialects, domainAt, FIELDS, type Field, stored, VALUES, wanted } from './update-scenario.ts';
import { declared } from './update-walk.ts';

const edit = fc.record({
  kind: fc.constantFrom('change' as const, 'change' as const, 'insert' as const, 'remove' as const),
  site: fc.nat(4),
  field: fc.constantFrom(...FIELDS),
  pick: fc.nat(5),
});

const kill = fc.record({ at: fc.nat(14), isCarriedOut: fc.boolean() });

const LATE_MS = 40;

const fault = fc.constantFrom<Fault>(
  { kind: 'reset', when: 'before' },
  { kind: 'reset', when: 'after' },
  { kind: 'late', ms: LATE_MS },
  { kind: 'cut' },
  { kind: 'status', status: 500, when: 'before' },
  { kind: 'status', status: 502, when: 'after' },
);

export const editedWalks = fc.record({
  sites: fc.array(
    fc.record({
      stored: fc.option(stored, { nil: undefined, freq: 3 }),
      wanted: fc.oneof(
        { weight: 4, arbitrary: wanted },
        { weight: 1, arbitrary: fc.constantFrom('absent' as const, undefined) },
      ),
    }),
    { minLength: 2, maxLength: 5 },
  ),
  dialect: dialects,
  prune: fc.boolean(),
  edits: fc.array(edit, { maxLength: 3 }),
  /** The request at which an apply is killed, and if that request is still carried out. */
  kill: fc.option(kill, { nil: undefined, freq: 2 }),
  /** The request at which the undo is killed. It then runs again. */
  undoKill: fc.oneof(fc.constant(undefined), fc.constant(undefined), kill),
  /** The fault of each write of a command that is not killed. */
  faults: fc.array(fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, fault), { maxLength: 8 }),
});

export type EditedWalk = typeof editedWalks extends fc.Arbitrary<infer T> ? T : never;

export interface Walked {
  readonly edits: number;
  readonly kills: number;
  /** Numbers of commands that ended with exit 0, 4 and 6. */
  readonly done: number;
  readonly short: number;
  readonly stale: number;
  readonly breaches: readonly string[];
}

type Records = ReadonlyMap<string, StoredRecord>;

interface Place {
  readonly service: ScriptedService;
  run(...args: string[]): Promise<Ended>;
  start(...args: string[]): ReturnType<typeof startCli>;
}

/** Makes a plan, lets others edit, and applies it; after a kill it is applied again. */
export function takeSavedPlan(walk: EditedWalk, folder: string): Promise<Walked> {
  return inPlace(walk, folder, async (place) => {
    const { service, run } = place;
    await run('plan', '--out', 'plan.json');
    const before = recordsOf(service);
    makeEdits(walk, service);
    const found = recordsOf(service);
    const apply = ['apply', 'plan.json', '--allow-empty', ...ALLOW];
    let writes = service.requests.length;
    let ended = await disturbed(walk.faults, walk.kill, place, apply);
    const isKilled = ended.code === null;
    if (isKilled) {
      writes = service.requests.length;
      ended = await disturbed(walk.faults, undefined, place, apply);
    }
    const { code } = ended;
    const after = recordsOf(service);
    const breaches = [...domainsOf(before, found, after)].flatMap((domain) => {
      const [was, edited, is] = [before, found, after].map((records) => records.get(domain));
      if (!was || !edited) return was === edited || isSame(edited, is) ? [] : [`OVERWRITTEN ${domain}`];
      const lost = FIELDS.filter((name) =>
        is ? differs(name, edited, was) && differs(name, edited, is) : isEdited(name, was, edited),
      );
      return lost.length === 0 || (is && isTold(domain, ended, isKilled)) ? [] : [`LOST ${domain} ${lost}`];
    });
    const sent = service.requests.slice(writes).filter(({ method }) => method !== 'GET');
    if (code === 6 && sent.length > 0) breaches.push('WRITTEN although stale');
    if (code === null || ![0, 4, 6].includes(code)) breaches.push(`EXIT ${code}`);
    return { ...countOf(code), edits: walk.edits.length, kills: Number(isKilled), breaches };
  });
}

/** Applies, possibly killed, lets others edit, and undoes the run, again after a kill. */
export function takeUndo(walk: EditedWalk, folder: string): Promise<Walked> {
  return inPlace(walk, folder, async (place) => {
    const { service } = place;
    const before = recordsOf(service);
    const first = await disturbed(walk.faults, walk.kill, place, ['apply', '--allow-empty', ...ALLOW]);
    const isKilled = first.code === null;
    const left = recordsOf(service);
    makeEdits(walk, service);
    const found = recordsOf(service);
    const runs = await readdir(join(folder, '.websites/runs')).catch(() => []);
    const undo = [
      'undo',
      ...runs
        .sort()
        .slice(-1)
        .map((name) => name.replace('.ndjson', '')),
      ...ALLOW,
    ];
    let ended = await disturbed(walk.faults, walk.undoKill, place, undo);
    const isAgain = ended.code === null;
    if (isAgain) ended = await disturbed(walk.faults, undefined, place, undo);
    const { code, stderr } = ended;
    const after = recordsOf(service);
    const mayReset = walk.dialect.put !== 'merge';
    const breaches = [...domainsOf(before, left, found, after)].flatMap((domain) => {
      const records = [before, left, found, after].map((each) => each.get(domain));
      const isOpen = isTold(domain, { ...ended, code: 0 }, isKilled || isAgain);
      const ways = {
        isOpen,
        mayReset,
        wanted: isKilled ? wantedOf(domain, walk) : {},
        isMoved: isAgain && walk.dialect.zoneHours !== 0,
      };
      const wrong = whatIsWrong(records, isTold(domain, ended, isAgain), ways);
      return wrong === undefined ? [] : [`${wrong} of ${domain}, exit ${code}`];
    });
    breaches.push(...openedOf(before, found, after));
    const isNothing = code === 1 && stderr.includes('No recorded run changed anything');
    if (!isNothing && (code === null || ![0, 4].includes(code))) breaches.push(`EXIT ${code} ${stderr}`);
    const kills = Number(isKilled) + Number(isAgain);
    return { ...countOf(code), edits: walk.edits.length, kills, breaches };
  });
}

/** Runs a command with the faults of its writes, or kills it at a request. */
async function disturbed(
  faults: EditedWalk['faults'],
  kill: EditedWalk['kill'],
  { service, run, start }: Place,
  args: readonly string[],
): Promise<Ended> {
  if (kill !== undefined) return killedAt(kill, service, () => start(...args));
  let writes = 0;
  service.faults = ({ method }) => (method === 'GET' ? undefined : faults[writes++]);
  const ended = await run(...args);
  service.faults = undefined;
  // A late write would overwrite the edits that follow.
  await new Promise((done) => setTimeout(done, LATE_MS));
  return ended;
}

/** True if a result names a domain and the exit is not 0, or the command after a kill names what that left. */
function isTold(domain: string, { code, stdout, stderr }: Ended, isAfterKill: boolean): boolean {
  return (code === 4 && stdout.includes(domain)) || (isAfterKill && stderr.includes(` of ${domain} (`));
}

/** Finds sites that became public and were not public before the run. */
function openedOf(before: Records, found: Records, after: Records): readonly string[] {
  const isPublic = (records: Records, domain: string) => records.get(domain)?.privacy === 0;
  const open = [...after.keys()].filter((domain) => isPublic(after, domain));
  return open
    .filter((domain) => !isPublic(found, domain) && !isPublic(before, domain))
    .map((domain) => `OPEN ${domain}`);
}

function wantedOf(domain: string, { sites, prune }: EditedWalk) {
  const { wanted: own } = sites.find((_, index) => domainAt(index) === domain) ?? {};
  return own ?? (prune ? 'absent' : {});
}

interface Ways {
  /** A killed run updated it, and named each setting that differs. Edits of numbers then look like resets. */
  readonly isOpen: boolean;
  readonly mayReset: boolean;
  /** Settings that a killed run declared: an edit to the same value looks like its own. */
  readonly wanted: ReturnType<typeof wantedOf>;
  /** A killed undo restored a time on a service that moves times to another zone. */
  readonly isMoved: boolean;
}

/** The fault of an undo in a record: an edit is lost, or the record differs from before and is not named. */
function whatIsWrong(
  [before, left, found, after]: readonly (StoredRecord | undefined)[],
  isNamed: boolean,
  { isOpen, mayReset, wanted: own, isMoved }: Ways,
): string | undefined {
  if (before && left && found && after) {
    const isOwn = (name: Field): boolean => typeof own === 'object' && own[name] === found[name];
    const isKnown = (name: Field): boolean => !(isOpen && typeof found[name] === 'number') && !isOwn(name);
    const lost = FIELDS.filter(
      (name) => isKnown(name) && differs(name, left, found) && differs(name, found, after),
    );
    // A setting that the service resets, or moves to another time zone, may not be restored: then it is named.
    if (lost.length > 0 && !(isNamed && mayReset)) return `EDIT ${lost}`;
    const wanted = FIELDS.map((name) => (differs(name, before, left) ? before : found));
    const other = FIELDS.filter(
      (name, index) =>
        !(isMoved && name === 'favorited_at') &&
        (isKnown(name) || differs(name, before, after)) &&
        differs(name, wanted[index] ?? before, after),
    );
    // The plan names a declared password that an update sends along and that may differ from the stored one.
    const isSentAlong = String(other) === 'password' && before.privacy === 2 && before.password !== null;
    return isNamed || isSentAlong || other.length === 0 ? undefined : `FIELD ${other}`;
  }
  const isOwnDelete = found === undefined && own === 'absent';
  if (!isSame(left, found) && !isSame(found, after) && !isOwnDelete) return 'EDIT';
  return isNamed || isSame(before, left) || isSame(before, after) ? undefined : 'RECORD';
}

function isSame(one: StoredRecord | undefined, other: StoredRecord | undefined): boolean {
  return one && other ? FIELDS.every((name) => !differs(name, one, other)) : one === other;
}

/** Ignores a password that protects nothing. */
function differs(name: Field, one: StoredRecord, other: StoredRecord): boolean {
  const isIdle = name === 'password' && one.privacy !== 2 && other.privacy !== 2;
  return !isIdle && one[name] !== other[name];
}

/** True for a visible difference between two readings: a set password counts also on a site that is not behind it. */
function isEdited(name: Field, was: StoredRecord, is: StoredRecord): boolean {
  return name === 'password' ? !was.password !== !is.password : was[name] !== is[name];
}

const ALLOW = '--auto-approve --format json --allow-updates 99 --allow-deletes 99'.split(' ');

async function inPlace(
  { sites, dialect, prune }: EditedWalk,
  folder: string,
  take: (place: Place) => Promise<Walked>,
): Promise<Walked> {
  await mkdir(folder);
  const records = sites.flatMap(({ stored }, index) =>
    stored
      ? { domain: domainAt(index), ...stored, ...(stored.privacy === 2 ? { password: 'old' } : {}) }
      : [],
  );
  const service = await startScriptedService({ dialect: dialect as Partial<Dialect>, records });
  const websites = sites.flatMap(({ wanted }, index) => {
    const domain = domainAt(index);
    if (wanted === undefined) return [];
    return wanted === 'absent' ? { domain, state: 'absent' } : { domain, ...declared(wanted) };
  });
  const file = { service: { www: 'distinct' }, prune, websites };
  await writeFile(join(folder, 'websites.yaml'), JSON.stringify(file));
  const env = { ...service.env, PASSWORD: 'declared', WEBSITES_REQUEST_TIMEOUT: '300ms' };
  const options = { cwd: folder, env };
  try {
    return await take({
      service,
      run: (...args) => runBuilt(args, options),
      start: (...args) => startCli(args, options),
    });
  } finally {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Starts a command, and kills its process at a request, unless it ended before. */
async function killedAt(
  { at, isCarriedOut }: NonNullable<EditedWalk['kill']>,
  service: ScriptedService,
  start: () => ReturnType<Place['start']>,
): Promise<Ended> {
  const { child, ended } = start();
  let arrived = -1;
  service.faults = () => {
    arrived += 1;
    if (arrived !== at) return undefined;
    child.kill('SIGKILL');
    return isCarriedOut ? undefined : { kind: 'reset', when: 'before' };
  };
  const end = await ended;
  service.faults = undefined;
  return end;
}

function recordsOf(service: ScriptedService): Records {
  return new Map(service.records().map((record) => [record.domain, { ...record }]));
}

const domainsOf = (...all: readonly Records[]): ReadonlySet<string> =>
  new Set(all.flatMap((records) => [...records.keys()]));

function makeEdits({ edits, sites }: EditedWalk, service: ScriptedService): void {
  const passwords = edits.filter(({ field }) => field === 'password');
  for (const { kind, site, field, pick } of [
    ...edits.filter((one) => !passwords.includes(one)),
    ...passwords.slice(0, 1),
  ]) {
    const domain = domainAt(site % sites.length);
    const record = service.records().find((one) => one.domain === domain);
    const value = field === 'password' ? passwordAfter(record) : valueAt(field, pick);
    const isLocked = field === 'privacy' && value === 2 && !record?.password;
    const fields = { [field]: value, ...(isLocked ? { password: 'theirs' } : {}) };
    if (kind === 'insert' && record === undefined) service.insert(domain, fields);
    if (kind === 'change' && record !== undefined) service.change(record.id, fields);
    if (kind === 'remove' && record !== undefined) service.remove(record.id);
  }
}

function valueAt(field: keyof typeof VALUES, pick: number): number | string | null {
  const values = VALUES[field] as fc.Arbitrary<number | string | null>;
  return fc.sample(values, { numRuns: 1, seed: pick })[0] ?? null;
}

/** A service shows only whether a password is set: another value would be no visible edit. */
function passwordAfter(record: StoredRecord | undefined): string | null {
  return record?.password ? null : 'theirs';
}

function countOf(code: number | null): Pick<Walked, 'done' | 'short' | 'stale'> {
  return { done: Number(code === 0), short: Number(code === 4), stale: Number(code === 6) };
}
