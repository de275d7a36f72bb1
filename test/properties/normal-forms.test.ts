import { isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeOne, decodePage, ShapeError } from '../../src/client/decode.ts';
import { decodeFailure } from '../../src/client/error-body.ts';
import { domainKey, matcher, normaliseDomain } from '../../src/model/domain.ts';
import { FIELD_NAMES, FIELDS, READABLE_NAMES } from '../../src/model/field-table.ts';
import type { Value } from '../../src/model/field-types.ts';
import { formatInstant, parseInstant } from '../../src/model/instant.ts';
import { canonicalAddress } from '../../src/model/ip-address.ts';
import { codePoint } from '../support/code-point.ts';

const segment = fc.string({ unit: codePoint }).map((text) => `/${encodeURIComponent(text)}`);

const host = fc.oneof(
  fc.domain(),
  fc.string({ unit: fc.constantFrom(...'aä1.-_ß日*:/@%。．xX０') }),
  fc.string({ unit: codePoint }),
  // fast-check's own strings make the large table that `codePoint` avoids.
  fc
    .tuple(fc.constantFrom('http', 'https'), fc.webAuthority(), fc.array(segment))
    .map(([scheme, authority, path]) => `${scheme}://${authority}${path.join('')}`),
);

test('normalizing a domain twice gives the same domain as normalizing it once', () => {
  fc.assert(
    fc.property(host, (text) => {
      const normalised = normaliseDomain(text);
      fc.pre('domain' in normalised);
      const { domain, kind } = normalised;
      expect(normaliseDomain(domain)).toEqual({ domain, kind, dropped: [] });
      expect(domain).toMatch(/^[a-z0-9_.-]{1,253}$/);
      for (const other of [domain.toUpperCase(), `${domain}.`, ` https://${domain}:443/x?y#z `]) {
        expect(normaliseDomain(other)).toMatchObject({ domain, kind });
      }
    }),
  );
});

test('the domain key of a domain key is the same key', () => {
  fc.assert(
    fc.property(host, (text) => {
      expect(domainKey(domainKey(text))).toBe(domainKey(text));
    }),
  );
});

/** Matches by the definition, slowly. */
function matches(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  if (pattern[0] !== '*') return pattern[0] === text[0] && matches(pattern.slice(1), text.slice(1));
  return matches(pattern.slice(1), text) || (text !== '' && matches(pattern, text.slice(1)));
}

test('a star in a pattern matches any text', () => {
  const letters = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b'), maxLength });
  const pattern = fc.tuple(letters(1), fc.array(letters(2), { minLength: 1, maxLength: 4 }));
  let matching = 0;
  fc.assert(
    fc.property(pattern, letters(8), ([head, rest], text) => {
      const glob = [head, ...rest].join('*');
      const isMatch = matches(glob, text);
      expect(matcher([glob])(text)).toBe(isMatch);
      if (isMatch) matching += 1;
    }),
    { numRuns: 400 },
  );
  expect(matching).toBeGreaterThan(50);
  expect(matching).toBeLessThan(900);
});

test('an IP address has one canonical form, which is the same address', () => {
  const text = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.ipV6().map((address) => address.toUpperCase()),
    fc.string({ unit: fc.constantFrom(...'0129af:.') }),
  );
  fc.assert(
    fc.property(text, (address) => {
      const canonical = canonicalAddress(address);
      expect(canonical !== undefined).toBe(isIPv4(address) || isIPv6(address));
      if (canonical === undefined) return;
      expect(canonicalAddress(canonical)).toBe(canonical);
      expect(isIPv6(canonical)).toBe(isIPv6(address));
    }),
  );
});

test('a time is read as the same instant with any offset and in any form', () => {
  const moment = fc.date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true });
  fc.assert(
    fc.property(moment, fc.integer({ min: -14 * 60, max: 14 * 60 }), (date, minutes) => {
      const instant = formatInstant(date.getTime());
      expect(parseInstant(instant)).toBe(instant);
      expect(parseInstant(date.toISOString())).toBe(instant);
      expect(parseInstant(date.toISOString().replace('T', ' ').slice(0, 19))).toBe(instant);
      const local = new Date(date.getTime() + minutes * 60_000).toISOString().slice(0, -1);
      const offset = new Date(Math.abs(minutes) * 60_000).toISOString().slice(11, 16);
      expect(parseInstant(`${local}${minutes < 0 ? '-' : '+'}${offset}`)).toBe(instant);
    }),
  );
});

test('a time that was read and formatted is read as the same time', () => {
  const text = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'0123456789-:T +Z.'), maxLength: 26 }),
    fc.stringMatching(/^\d{4}-[01]\d-[0-3]\d[T ][0-2]\d:[0-5]\d:[0-6]\d(Z|[+-]\d\d:?[0-6]\d)?$/),
  );
  fc.assert(
    fc.property(text, (candidate) => {
      const instant = parseInstant(candidate);
      if (instant !== undefined) expect(parseInstant(instant)).toBe(instant);
    }),
  );
});

test('reading a YAML value never throws, and an accepted value survives encoding', () => {
  const raw = fc.oneof(
    fc.anything(),
    fc.array(fc.string()),
    fc.array(fc.ipV6()),
    fc.constantFrom(true, false, null, 0, 1, 2, 'public', '2026-01-31'),
  );
  fc.assert(
    fc.property(fc.constantFrom(...FIELD_NAMES), raw, (name, input) => {
      const { kind, wire } = FIELDS[name];
      const result = kind.input.safeParse(input);
      if (!result.success) return;
      const value = result.data;
      expect(kind.equal(value, value)).toBe(true);
      // A presence is sent as the time of its plan.
      const told = name === 'favorited_at' && value === true ? '2026-11-20T09:30:00Z' : value;
      const sent = kind.encode(told, wire[0]);
      if (!READABLE_NAMES.includes(name)) return;
      expect(kind.equal(value, kind.readAnswer(sent) as Value)).toBe(true);
      expect(kind.equal(value, kind.readAnswer(sent.replaceAll('\n', '\r\n\r\n')) as Value)).toBe(true);
    }),
    { numRuns: 400 },
  );
});

test('decoders throw only a ShapeError for any response', () => {
  const member = fc.constantFrom(
    ...['id', 'domain', 'data', 'links', 'meta', 'next', 'total', 'privacy', 'favorite', 'favorited_at'],
    ...['exclude_ips', 'password', 'message', 'errors', 'error', '__proto__', 'toString'],
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.jsonValue(),
      fc.constantFrom(1, 'a.com', '2026-01-31', 1e300),
      tie('list'),
      tie('map'),
    ),
    list: fc.array(tie('value'), { maxLength: 3 }),
    map: fc
      .array(fc.tuple(member, tie('value')), { maxLength: 5 })
      .map((entries) => Object.fromEntries(entries)),
  }));
  // A response without a record is an error, so these have one, with odd values.
  const odd = fc.array(fc.tuple(member, fc.oneof(value, fc.constantFrom(null, 0, '1', ''))), {
    maxLength: 2,
  });
  const record = odd.map((entries) => ({ id: 1, domain: 'a.com', ...Object.fromEntries(entries) }));
  const page = fc
    .tuple(fc.array(record, { maxLength: 3 }), odd)
    .map(([data, entries]) => ({ data, ...Object.fromEntries(entries) }));
  const answer = fc.oneof(
    value,
    record,
    page,
    record.map((data) => ({ data })),
  );
  const decoded = { one: 0, page: 0, words: 0 };
  fc.assert(
    fc.property(answer, (raw) => {
      for (const [what, decode] of Object.entries({ one: decodeOne, page: decodePage })) {
        try {
          decode(raw);
          decoded[what as 'one' | 'page'] += 1;
        } catch (error) {
          expect(error).toBeInstanceOf(ShapeError);
        }
      }
      const { message } = decodeFailure(JSON.stringify(raw) ?? '');
      expect(message).toBeTypeOf('string');
      if (message !== '') decoded.words += 1;
    }),
    { numRuns: 400 },
  );
  expect(Math.min(...Object.values(decoded)), JSON.stringify(decoded)).toBeGreaterThan(20);
});

test('the message of a failed request is one short line for any response body', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: codePoint }), fc.json()), (body) => {
      const { message } = decodeFailure(body);
      expect(message.length).toBeLessThanOrEqual(300);
      expect(message).not.toMatch(/[\r\n]/);
    }),
  );
});
