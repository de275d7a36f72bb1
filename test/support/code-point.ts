/** Any code point but surrogates. fast-check's `unit: 'binary'` makes a table of a million per process. */
import fc, { type Arbitrary } from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };
const COUNT = 0x110000 - SURROGATES.count;

export const codePoint: Arbitrary<string> = fc.nat({ max: COUNT - 1 }).map(
  (index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count),
  // Maps a character back to its number: fast-check adds dangerous characters of its own.
  (text) => {
    const [first = '', ...more] = typeof text === 'string' ? text : [];
    const point = first.codePointAt(0) ?? SURROGATES.first;
    const isBelow = point < SURROGATES.first;
    const isAbove = point >= SURROGATES.first + SURROGATES.count;
    if (more.length > 0 || !(isBelow || isAbove)) throw new Error('not one code point');
    return isBelow ? point : point - SURROGATES.count;
  },
);
