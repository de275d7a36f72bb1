/** The records of a walk over pages, each once. */
import { startDisputes } from '../../model/identity.ts';
import type { Disputed, Website } from '../../model/website.ts';

export interface Distinct {
  /** Takes in the page with a number, counted from 1; returns how many of its records are new. */
  add(number: number, records: readonly Website[]): number;
  readonly size: number;
  /** Whether the ids fall from the first record to the last. */
  readonly isFalling: boolean;
  /** In the order of the pages, without those whose id is disputed. */
  all(): Website[];
  /** Ids that came with several domains. */
  disputed(): readonly Disputed[];
}

/**
 * Ids that fall from record to record, as they are asked for, are distinct without a set of them all. The first
 * page that does not go with those around it ends that.
 */
export function startDistinct(): Distinct {
  const pages: (readonly Website[])[] = [];
  // On the pages of one list, a www variant is another website whatever the rule.
  const disputes = startDisputes(() => 'distinct');
  let seen: Map<string, Website> | undefined;
  let size = 0;

  function isNew(website: Website): boolean {
    seen ??= new Map(listed().map((one) => [one.id, one]));
    const known = seen.get(website.id);
    disputes.agree(known, website);
    if (known === undefined) seen.set(website.id, website);
    return known === undefined;
  }

  function listed(): Website[] {
    const none: Website[] = [];
    return none.concat(...pages.filter((page) => page.length > 0));
  }

  return {
    add(number, records) {
      const fits = seen === undefined && isBetween(records, before(pages, number), after(pages, number));
      const fresh = fits ? records : records.filter(isNew);
      pages[number - 1] = fresh;
      size += fresh.length;
      return fresh.length;
    },
    get size() {
      return size;
    },
    get isFalling() {
      return seen === undefined;
    },
    all() {
      const records = listed();
      return disputes.all().length === 0 ? records : records.filter(({ id }) => !disputes.has(id));
    },
    disputed: disputes.all,
  };
}

/** The last record of the pages before a number, as far as they are there; pages come nearly in order. */
function before(pages: readonly (readonly Website[])[], number: number): Website | undefined {
  let index = number - 2;
  while (index >= 0 && !pages[index]?.length) index -= 1;
  return pages[index]?.at(-1);
}

/** The first record of the pages after a number, as far as they are there. */
function after(pages: readonly (readonly Website[])[], number: number): Website | undefined {
  let index = number;
  while (index < pages.length && !pages[index]?.length) index += 1;
  return pages[index]?.[0];
}

/** Whether ids are numbers that fall from that of `first` to that of `last`, neither of them included. */
function isBetween(records: readonly Website[], first?: Website, last?: Website): boolean {
  let previous = first === undefined ? Number.POSITIVE_INFINITY : Number(first.id);
  for (const { id } of records) {
    if (!(Number(id) < previous)) return false;
    previous = Number(id);
  }
  return last === undefined || Number(last.id) < previous;
}
