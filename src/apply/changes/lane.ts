/** Work that goes side by side, save for some that has to be the only one in flight. */

export interface Lane {
  /** Works as soon as nothing works alone, or waits to. */
  together<T>(work: () => Promise<T>): Promise<T>;
  /** Works once all that is in flight has ended, and keeps what comes after waiting. Not to be called from within. */
  alone<T>(work: () => Promise<T>): Promise<T>;
}

export function createLane(): Lane {
  const inFlight = new Set<Promise<unknown>>();
  let turn: Promise<unknown> | undefined;

  async function inTurn<T>(before: Promise<unknown> | undefined, work: () => Promise<T>): Promise<T> {
    await before;
    await Promise.allSettled(inFlight);
    return work();
  }

  return {
    async together(work) {
      while (turn !== undefined) await turn.catch(() => undefined);
      const working = work();
      inFlight.add(working);
      try {
        return await working;
      } finally {
        inFlight.delete(working);
      }
    },
    async alone(work) {
      const mine = inTurn(
        turn?.catch(() => undefined),
        work,
      );
      turn = mine;
      try {
        return await mine;
      } finally {
        if (turn === mine) turn = undefined;
      }
    },
  };
}
