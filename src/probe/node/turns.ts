/** Who may work: a limit of websites at once, and of connections to one address. */

/** A number of places; who waits for one longest is next. */
export interface Turns {
  /** Takes a place, once there is one. `isLater`: everybody else is served first. */
  take(isLater?: boolean): Promise<void>;
  free(): void;
}

export function createTurns(places: number): Turns {
  let free = places;
  const waiting: (() => void)[] = [];
  const later: (() => void)[] = [];
  return {
    async take(isLater = false) {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => void (isLater ? later : waiting).push(resolve));
    },
    free() {
      const next = waiting.shift() ?? later.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}

/** What somebody holds at the addresses of a website. */
export interface Place {
  /** Leaves all addresses but the one that is used. */
  keepOnly(address: string): void;
  leave(): void;
}

/** At most `places` connections to each address. */
export function createAddressTurns(places: number): { take(addresses: readonly string[]): Promise<Place> } {
  const turns = new Map<string, { readonly own: Turns; users: number }>();

  async function enter(address: string): Promise<void> {
    const entry = turns.get(address) ?? { own: createTurns(places), users: 0 };
    turns.set(address, entry);
    entry.users += 1;
    await entry.own.take();
  }
  function leave(address: string): void {
    const entry = turns.get(address);
    if (entry === undefined) return;
    entry.own.free();
    entry.users -= 1;
    if (entry.users === 0) turns.delete(address);
  }

  return {
    async take(addresses) {
      const held = new Set(addresses);
      // In one order for all, so that no two wait for each other.
      for (const address of [...held].toSorted()) await enter(address);
      const leaveAll = (gone: readonly string[]): void => {
        for (const address of gone) if (held.delete(address)) leave(address);
      };
      return {
        keepOnly: (used) => leaveAll([...held].filter((address) => address !== used)),
        leave: () => leaveAll([...held]),
      };
    },
  };
}
