/**
 * Whether a record that is to be deleted is still as the plan read it, where that is long ago: at most five minutes old
 * is fresh.
 */
import type { Delete } from '../../model/change.ts';
import { isNamed } from '../../model/domain.ts';
import type { Settings } from '../../model/field-table.ts';
import { strangerRefused } from '../../model/identity.ts';
import { ServiceError, type WebsiteService } from '../../model/service.ts';
import type { Website, WwwRule } from '../../model/website.ts';
import type { Clock } from '../../util/clock.ts';
import { reread } from './refetch.ts';

/** What was read longer ago is read again before it is relied on, in milliseconds. */
export const FRESH_MS = 5 * 60_000;

export interface BaseReader {
  /**
   * What the record shows by now, 'vanished' where it is gone; nothing where what the plan read is fresh. Rejects with a
   * ServiceError.
   */
  laterOf(change: Delete): Promise<Settings | 'vanished'> | undefined;
}

export interface PlanReading {
  /** When the plan's values were read, or looked at again, in milliseconds since 1970. */
  readonly readAt: number;
  /** Deletes that may ask, and the requests that a list of all records takes. */
  readonly asking: number;
  readonly listRequests: number;
  readonly www?: WwwRule | undefined;
}

/** Values that were listed together. */
interface Reading {
  /** When that began, in milliseconds since 1970. */
  readonly at: number;
  readonly byId: ReadonlyMap<string, Website>;
  /** Deletes that went by it. */
  served: number;
}

export function createBaseReader(service: WebsiteService, clock: Clock, plan: PlanReading): BaseReader {
  let reading: Reading | undefined;
  let servedByPlan = 0;
  let open = plan.asking;
  let listing: Promise<void> | undefined;

  /** What seems to have been read later than now may be of any age: the clock was set back. */
  function isFresh(at: number): boolean {
    const age = clock.now() - at;
    return age >= 0 && age <= FRESH_MS;
  }

  /** A list is worth its requests when it will serve more deletes: as many as the last one did, if that is known. */
  function isListWorthIt(left: number): boolean {
    const served = reading?.served ?? (servedByPlan || left);
    return Math.min(left, served) > plan.listRequests;
  }

  async function relist(): Promise<void> {
    try {
      const { websites, readAt } = await service.list();
      reading = { at: readAt, byId: new Map(websites.map((website) => [website.id, website])), served: 0 };
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === 'key-refused') throw error;
      reading = { at: 0, byId: new Map(), served: 0 };
    } finally {
      listing = undefined;
    }
  }

  async function find(change: Delete, left: number): Promise<Settings | 'vanished'> {
    if ((reading === undefined || !isFresh(reading.at)) && listing === undefined && isListWorthIt(left)) {
      listing = relist();
    }
    await listing;
    const row = reading && isFresh(reading.at) ? reading.byId.get(change.id) : undefined;
    if (row !== undefined && reading !== undefined && isNamed(row, change.domain, plan.www)) {
      reading.served += 1;
      return row.settings;
    }
    const website = await reread(service, change);
    if (website === undefined) return 'vanished';
    if (!isNamed(website, change.domain, plan.www)) throw strangerRefused(change, website.domain);
    return { ...change.before, ...website.settings };
  }

  return {
    laterOf(change) {
      const left = open;
      open -= 1;
      if (reading !== undefined || !isFresh(plan.readAt)) return find(change, left);
      servedByPlan += 1;
      return undefined;
    },
  };
}
