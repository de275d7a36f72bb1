/**
 * Settings that the last run may have reset when it was killed, and did not put back: its journal says so. They are put
 * back once, from a journal that is sealed; what is not put back is told.
 */
import { createValues } from '../apply/changes/payload.ts';
import { reread } from '../apply/changes/refetch.ts';
import { unlessUnfit } from '../config/files/disk.ts';
import { type RunInfo, runsAt } from '../journal/list-runs.ts';
import { type Owed, type RecordedRun, readJournal } from '../journal/reader.ts';
import { settledPath } from '../journal/writer.ts';
import type { Update } from '../model/change.ts';
import { WebsitesError } from '../model/errors.ts';
import { FIELDS, type FieldName, type Settings } from '../model/field-table.ts';
import { scopeFlags, settleCommand } from '../model/next-command.ts';
import { ServiceError } from '../model/service.ts';
import type { Website } from '../model/website.ts';
import { judgeOwed } from '../update/owed-restores.ts';
import { restoreForm } from '../update/restore-form.ts';
import { changedBetween, effectText } from '../update/side-effects.ts';
import { parseJson } from '../util/json.ts';
import { readRegularFile } from '../util/node/read-file.ts';
import { type Connection, serviceOf } from './connect.ts';
import { runsFolder } from './state.ts';
import { writeWhole } from './write-atomic.ts';

export interface OwedOptions {
  readonly isIgnored: (domain: string) => boolean;
  /** Nothing may be written: what is owed is told. */
  readonly onlyLooks: boolean;
  readonly tell: (text: string) => void;
}

/** Settles what the newest run owes. To be called under the lock. Throws what the service throws. */
export async function settleOwed(root: string, connection: Connection, options: OwedOptions): Promise<void> {
  const folder = runsFolder(root);
  const runs = await runsAt(folder, serviceOf(connection), connection.seals);
  const newest = runs.at(-1);
  if (newest !== undefined && mayOwe(newest)) await settleRun(newest, folder, connection, options);
}

async function settleRun(
  last: RunInfo,
  folder: string,
  connection: Connection,
  options: OwedOptions,
): Promise<void> {
  const settled = await readSettled(folder, last.run);
  const isOpen = ({ index }: Owed): boolean => !settled.has(index);
  const believed = await orNothing(readJournal(folder, last.run, { seals: connection.seals }));
  for (const owed of (believed?.owed ?? []).filter(isOpen)) {
    if (believed !== undefined) await settleOne(believed, owed, folder, connection, options);
  }
  const known = new Set(believed?.owed.map(({ index }) => index));
  const written = await orNothing(readJournal(folder, last.run, { seals: undefined }));
  for (const owed of (written?.owed ?? []).filter(isOpen)) {
    if (!known.has(owed.index)) tellUnsealed(last.run, owed, connection, options);
  }
}

/** A journal, unless it is damaged or not sealed: whoever undoes its run hears of that. */
async function orNothing(reading: Promise<RecordedRun>): Promise<RecordedRun | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof WebsitesError) return undefined;
    throw error;
  }
}

/** One that ended says how much it owes. */
function mayOwe({ closed }: RunInfo): boolean {
  return closed === undefined || (closed.owed ?? 0) > 0;
}

function tellUnsealed(
  run: string,
  { domain }: Owed,
  { target, where }: Connection,
  { tell }: OwedOptions,
): void {
  const settle = settleCommand(run, { service: { target } }, where);
  tell(
    `Run ${run}, which was not written with this API key, may have reset settings of ${JSON.stringify(domain)}. Check that record, then run "${settle}".\n`,
  );
}

async function settleOne(
  recorded: RecordedRun,
  owed: Owed,
  folder: string,
  connection: Connection,
  { isIgnored, onlyLooks, tell }: OwedOptions,
): Promise<void> {
  const { run, plan } = recorded;
  const { domain, id, settings } = owed;
  const change = plan.changes[owed.index];
  if (change?.action !== 'update') return;
  const website = await reread(connection.service, { ...change, before: settings });
  const judgment = judgeOwed(owed, website, isIgnored, connection.clock.now());
  const toldOf = (names: readonly FieldName[]): string => namedValues(owed, website, names);
  const settle = (): Promise<void> => (onlyLooks ? Promise.resolve() : writeSettled(folder, run, owed.index));
  switch (judgment.what) {
    case 'kept':
      return settle();
    case 'out of reach':
      tell(
        `Run ${run} may have reset settings of ${domain} (#${id}), which are not restored: ${judgment.why}.\n`,
      );
      return settle();
    case 'edited':
      tell(
        `Run ${run} was interrupted while it updated ${domain}. Somebody has changed it since, so nothing is restored: ${toldOf(judgment.fields)}.\n`,
      );
      return settle();
    case 'lost': {
      if (judgment.isOld || owed.isRestoring || onlyLooks || website === undefined) {
        const undo = `"websites undo ${run}${scopeFlags({ service: plan.service }, connection.where)}"`;
        tell(
          `Run ${run} was interrupted before it restored ${toldOf(judgment.fields)}. Run ${undo} to restore it.\n`,
        );
        return;
      }
      // Before it is sent: it is never sent twice.
      await settle();
      await restore(change, owed, website, judgment.fields, plan.created_at, connection, tell);
      return;
    }
  }
}

async function restore(
  change: Update,
  { settings, domain }: Owed,
  website: Website,
  fields: readonly FieldName[],
  plannedAt: string,
  { service }: Connection,
  tell: (text: string) => void,
): Promise<void> {
  const write = restoreForm(change, settings, website.settings, fields, service.traits);
  if (write === undefined) {
    tell(
      `Could not restore settings of ${domain} (#${change.id}): it has a password now, which is not declared.\n`,
    );
    return;
  }
  const sent = createValues(new Map(), plannedAt).ofUpdate(change, write.form, write.settings);
  try {
    await service.update(change.id, domain, sent);
    const back = await reread(service, { ...change, before: settings });
    for (const field of fields) {
      const effect = effectIn(change, field, settings, website);
      const isBack = FIELDS[field].kind.equal(settings[field] ?? null, back?.settings[field] ?? null);
      tell(
        `${isBack ? 'Restored' : 'Could not restore'} ${effectText(effect)}, which an interrupted run had reset.\n`,
      );
    }
    const moved = back === undefined ? [] : changedBetween(change, website, back);
    for (const effect of moved.filter(({ field }) => !fields.includes(field))) {
      tell(`Restoring ${domain} has changed ${effectText(effect)}.\n`);
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const named = fields.map((field) => effectText(effectIn(change, field, settings, website))).join(', ');
    throw new WebsitesError(error.code, `Could not restore ${named}: ${error.message}`, {
      remedy: error.remedy,
    });
  }
}

function namedValues(owed: Owed, website: Website | undefined, names: readonly FieldName[]): string {
  return names.map((field) => effectText(effectIn(owed, field, owed.settings, website))).join(', ');
}

function effectIn(
  { domain, id }: Pick<Owed, 'domain' | 'id'>,
  field: FieldName,
  before: Settings,
  website: Website | undefined,
) {
  return { domain, id, field, before: before[field] ?? null, after: website?.settings[field] ?? null };
}

/** Notes that somebody has looked at what a run owes; returns of how many records. Throws as readJournal does. */
export async function settleByHand(folder: string, run: string): Promise<number> {
  const { owed } = await readJournal(folder, run, { seals: undefined });
  await writeSettled(folder, run, ...owed.map(({ index }) => index));
  return owed.length;
}

/** Notes that nothing is owed any more of the changes of a run, by index: beside its journal, which is closed. */
async function writeSettled(folder: string, run: string, ...indexes: number[]): Promise<void> {
  const settled = [...new Set([...(await readSettled(folder, run)), ...indexes])];
  await writeWhole(settledPath(folder, run), [`${JSON.stringify({ settled })}\n`], folder);
}

/** Changes of a run, by index, of which nothing is owed any more. */
export async function readSettled(folder: string, run: string): Promise<ReadonlySet<number>> {
  const path = settledPath(folder, run);
  const bytes = await readRegularFile(path).catch(unlessUnfit(path));
  const read = parseJson(bytes?.toString() ?? '') as { readonly settled?: unknown } | null | undefined;
  return new Set(Array.isArray(read?.settled) ? read.settled.filter(Number.isInteger) : []);
}
