/** What all updates of a run share: what it learns, whose turn it is, and what happened to other settings. */

import type { IndexedChange, Journal } from '../../journal/writer.ts';
import type { Update } from '../../model/change.ts';
import { WebsitesError } from '../../model/errors.ts';
import type { FieldName, Settings } from '../../model/field-table.ts';
import type { Effect, RunEvent } from '../../model/run.ts';
import type { WebsiteService } from '../../model/service.ts';
import type { UpdateRule } from '../../model/website.ts';
import type { Knowledge } from '../../update/knowledge.ts';
import type { Sighting } from '../../update/update-form.ts';
import type { Stop } from '../run-recorder.ts';
import { createLane, type Lane } from './lane.ts';
import { createLearning, type Learning } from './learning.ts';

/** An update with its place in the plan. */
export interface UpdateItem extends IndexedChange {
  readonly change: Update;
}

/** An update in flight beside others, by the reading that it went by. */
export interface InFlight {
  readonly item: UpdateItem;
  readonly seen: Sighting;
  readonly leftOut: readonly FieldName[];
}

export interface Updates {
  readonly rule: UpdateRule;
  readonly learning: Learning;
  readonly lane: Lane;
  readonly inFlight: Set<InFlight>;
  /** Changes, by index, whose records were put back, or were tried to be. */
  readonly mended: Set<number>;
  readonly restored: Effect[];
  readonly sideEffects: Effect[];
  emit(event: RunEvent): void;
  stop(stop: Stop): void;
  /** What the record showed last, before this run reads it. */
  olderOf(change: Update): Sighting;
  /** Writes down what a trial may have to put back; false where that fails, and the run stops. */
  owe(item: UpdateItem, settings: Settings, left: readonly FieldName[]): Promise<boolean>;
  /** Writes down that it is about to be put back; false where that fails, and the run stops. */
  restoring(item: UpdateItem): Promise<boolean>;
  /** Nothing has to be put back any more. */
  settled(item: UpdateItem): void;
  /** Changes, by index, of whose records something has to be put back. */
  readonly owed: ReadonlySet<number>;
}

export interface UpdatesOptions {
  readonly rule: UpdateRule;
  readonly knowledge: Knowledge;
  readonly service: WebsiteService;
  readonly journal: Journal;
  readonly emit: (event: RunEvent) => void;
  readonly stop: (stop: Stop) => void;
  /** What records showed when they were read again after the plan, by their ids. */
  readonly shown?: ReadonlyMap<string, Settings> | undefined;
}

export function createUpdates(options: UpdatesOptions): Updates {
  const { rule, knowledge, service, journal, emit, stop, shown } = options;

  const owed = new Set<number>();

  async function written(write: Promise<void>): Promise<boolean> {
    try {
      await write;
      return true;
    } catch (error) {
      if (!(error instanceof WebsitesError)) throw error;
      stop({ cause: 'journal', reason: error.message });
      return false;
    }
  }

  return {
    rule,
    learning: createLearning(rule, knowledge, () => service.traits),
    lane: createLane(),
    inFlight: new Set(),
    mended: new Set(),
    restored: [],
    sideEffects: [],
    emit,
    stop,
    olderOf({ id, before, password_set: passwordSet, unreadable }) {
      const later = shown?.get(id);
      const settings = later === undefined ? before : { ...before, ...later };
      return { settings, passwordSet, unreadable, isFresh: false };
    },
    owed,
    owe(item, settings, left) {
      owed.add(item.index);
      return written(journal.owe(item, item.change.id, settings, left));
    },
    restoring: (item) => written(journal.restoring(item)),
    settled(item) {
      owed.delete(item.index);
      journal.settled(item);
    },
  };
}
