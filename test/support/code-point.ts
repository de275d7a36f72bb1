/** Any code point but a surrogate. `unit: 'binary'` of fast-check makes a table of a million in each process. */
import fc, { type Arbitrary } from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };
const COUNT = 0x110000 - SURROGATES.count;

export const codePoint: Arbitrary<string> = fc.nat({ max: COUNT - 1 }).map(
  (index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count),
  // Recognizes one of them in a text that is known to be dangerous.
  (text) => {
    const [first = '', ...more] = typeof text === 'string' ? text : [];
    const point = first.codePointAt(0) ?? SURROGATES.first;
    const isBelow = point < SURROGATES.first;
    const isAbove = point >= SURROGATES.first + SURROGATES.count;
    if (more.length > 0 || !(isBelow || isAbove)) throw new Error('not one code point');
    return isBelow ? point : point - SURROGATES.count;
  },
);
