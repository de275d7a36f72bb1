/** The shapes of answers: what is where, and what to say where it is not. */
import { Mismatch } from '../model/field-types.ts';

/** Stands for a text that repeats the API key, and is of no kind that a value may be of. */
export const REPEATED_KEY = Symbol('repeats the API key');

/** An answer that has not the shape it should have; `path` says where, from the answer's top. */
export class ShapeError extends Error {
  readonly #way: readonly PropertyKey[];

  constructor(way: readonly PropertyKey[], message: string) {
    super(message);
    this.#way = way;
  }

  get path(): string {
    return this.#way.length === 0 ? 'the answer' : this.#way.map(String).join('.');
  }

  /** The same of something that is at `way` itself. */
  below(way: readonly PropertyKey[]): ShapeError {
    return new ShapeError([...way, ...this.#way], this.message);
  }
}

/** Runs `read` on what is at `way`, so that its errors say where that is. */
export function at<T>(way: readonly PropertyKey[], read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof ShapeError ? error.below(way) : error;
  }
}

/** Reads the member `name`. */
export function member<T>(raw: Record<string, unknown>, name: string, read: (value: unknown) => T): T {
  try {
    return read(raw[name]);
  } catch (error) {
    if (error instanceof Mismatch) throw new ShapeError([name], error.message);
    throw error;
  }
}
