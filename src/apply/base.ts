/**
 * The last-read values that a full update is laid over (design, Settled C), and that a delete goes by: at most five
 * minutes old, and with every readable field that the service shows for a single record.
 */
import type { Change, Create, Delete } from '../core/change.ts';
import type { Clock } from '../core/clock.ts';
import { FIELDS, type FieldName, READABLE_NAMES, type Settings } from '../core/fields.ts';
import { ServiceError, type WebsiteService } from '../core/service.ts';
import { reread } from './reread.ts';

/** What was read longer ago is read again before it is relied on, in milliseconds. */
export const FRESH_MS = 5 * 60_000;

export interface BaseReader {
  /**
   * The settings to lay an update over, at once where they are known; 'vanished' where the record is gone.
   * Rejects with a ServiceError.
   */
  baseOf(change: Kept): Settings | Promise<Settings | 'vanished'>;
  /** The same of a record that is to be deleted, where that is not what the plan says it shows; else nothing. */
  laterOf(change: Delete): Settings | Promise<Settings | 'vanished'> | undefined;
}

/** A change of a record that is there. */
type Kept = Exclude<Change, Create>;

export interface PlanReading {
  /** When the plan's values were read, or looked at again, in milliseconds since 1970. */
  readonly readAt: number;
  /** What the records showed when they were looked at again, by their ids. */
  readonly shown?: ReadonlyMap<string, Settings> | undefined;
  /** Updates and deletes that may ask for a base, and the requests that a list of all records takes. */
  readonly asking: number;
  readonly listRequests: number;
}

/** Values that were read together. */
interface Reading {
  /** When that began, in milliseconds since 1970. */
  readonly at: number;
  /** Missing for the plan's own values, and what was shown since. */
  readonly byId?: ReadonlyMap<string, Settings>;
  /** Changes that went by it. */
  served: number;
}

export function createBaseReader(service: WebsiteService, clock: Clock, plan: PlanReading): BaseReader {
  let reading: Reading = { at: plan.readAt, served: 0 };
  let open = plan.asking;
  let listing: Promise<void> | undefined;
  let probe: Promise<unknown> | undefined;

  /** What seems to have been read later than now may be of any age: the clock was set back. */
  function isFresh(): boolean {
    const age = clock.now() - reading.at;
    return age >= 0 && age <= FRESH_MS;
  }

  /** A list is worth its requests when it will serve more changes: as many as the last one did, if that is known. */
  function isListWorthIt(left: number): boolean {
    const isUnknown = reading.byId === undefined && reading.served === 0;
    return Math.min(left, isUnknown ? left : reading.served) > plan.listRequests;
  }

  async function relist(): Promise<void> {
    try {
      const { websites, readAt } = await service.list();
      reading = { at: readAt, byId: new Map(websites.map(({ id, settings }) => [id, settings])), served: 0 };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === 'key-refused') throw error;
      reading = { at: 0, byId: new Map(), served: 0 };
    } finally {
      listing = undefined;
    }
  }

  /** Whether a single record would show more; `undefined` where none was read yet, which could tell. */
  function hidesMore(settings: Settings): boolean | undefined {
    const missing = READABLE_NAMES.filter((name) => settings[name] === undefined);
    if (missing.length === 0) return false;
    const { listed, read, readEmpty } = service.traits;
    if (read.size === 0) return undefined;
    // Where records leave out what is empty, that others do not show a field says nothing of this one.
    const isOpen = (name: FieldName): boolean => FIELDS[name].kind.empty !== undefined && !listed.has(name);
    return missing.some((name) => read.has(name)) || (missing.some(isOpen) && readEmpty.size === 0);
  }

  function knownOf({ id, before }: Kept): Settings | undefined {
    if (reading.byId !== undefined) return reading.byId.get(id);
    const shown = plan.shown?.get(id);
    return shown === undefined ? before : { ...before, ...shown };
  }

  function serve(known: Settings): Settings {
    reading.served += 1;
    return known;
  }

  async function find(change: Kept, left: number): Promise<Settings | 'vanished'> {
    if (!isFresh()) {
      if (listing === undefined && isListWorthIt(left)) listing = relist();
      await listing;
    }
    const known = knownOf(change);
    let own: Promise<Settings | 'vanished'> | undefined;
    const read = (): Promise<Settings | 'vanished'> => {
      own ??= readOne(service, change, known, isFresh());
      return own;
    };
    if (known === undefined || !isFresh()) return read();
    if (hidesMore(known) === undefined) {
      // The first one to be asked for tells.
      probe ??= read();
      await probe.catch(() => undefined);
    }
    return hidesMore(known) === false ? serve(known) : read();
  }

  function baseOf(change: Kept): Settings | Promise<Settings | 'vanished'> {
    const left = open--;
    const known = isFresh() ? knownOf(change) : undefined;
    return known !== undefined && hidesMore(known) === false ? serve(known) : find(change, left);
  }

  return {
    baseOf,
    laterOf(change) {
      if (reading.byId !== undefined || !isFresh()) return baseOf(change);
      open -= 1;
      reading.served += 1;
      return undefined;
    },
  };
}

/** What a record shows by itself, over what was known of it: a list may show what this does not. */
async function readOne(
  service: WebsiteService,
  change: Kept,
  known: Settings | undefined,
  isFresh: boolean,
): Promise<Settings | 'vanished'> {
  const website = await reread(service, change, isFresh ? known : undefined);
  return website === undefined ? 'vanished' : { ...(known ?? change.before), ...website.settings };
}
