/** Arbitrary records of a service, as the client decodes them. */
import fc, { type Arbitrary } from 'fast-check';
import { decodeRecord } from '../../../src/client/decode.ts';
import type { Current, Website } from '../../../src/model/website.ts';
import { hostileText } from '../arbitrary.ts';

const label = fc.stringMatching(/^[a-z0-9_](?:[a-z0-9_-]{0,5}[a-z0-9_])?$/);

/** Names that YAML, or a pattern, may read as something else. */
const ODD_DOMAINS = [
  ...'null true no y 1e5 0x1f 1.e5 10.0.0.1 1.2.3 2026-01-31 - ~ *.example.com * a..b x. #x {} $'.split(' '),
  ...'WWW.Example.COM www.example.com example.com me@example.com https://example.com/path bücher.example'.split(
    ' ',
  ),
  ...['', 'a b', 'bad domain.com', 'a: b', '- x', `\${HOME}`, `$\${X}.com`],
];

const domain = fc.oneof(
  { weight: 4, arbitrary: fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join('.')) },
  { weight: 2, arbitrary: fc.constantFrom(...ODD_DOMAINS) },
  { weight: 1, arbitrary: hostileText },
);

const ODD_ITEMS = [
  ...'null true 1 1.5 -1 0x1f 1e5 1_000 .inf .nan 2026-01-31 12:30:45 ~ << = *a &a !a %a @a `a | >'.split(
    ' ',
  ),
  ...'#a [a] {a} a,b a;b a: \' " \\ \\u0041 --- ... =1+1 192.0.2.1 192.0.2.0/24 2001:DB8::1 ::ffff:192.0.2.1'.split(
    ' ',
  ),
  ...['a: b', 'a #b', '- a', '? a', 'a\tb', '\u0085', ' a ', 'a "b" c', 'a'.repeat(130)],
  ...[`\${HOME}`, `$\${HOME}`, `$$\${`, `\${`, '$'],
];

const lines = fc
  .array(fc.oneof(fc.constantFrom(...ODD_ITEMS), hostileText), { maxLength: 8 })
  .chain((items) => fc.constantFrom('\n', '\r\n').map((end) => items.join(end)));

const addresses = fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('192.0.2.0/24', '::/0', 'none')));

const number = fc.constantFrom<unknown>(0, 1, '0', '1', true, false, 2, 7, -1, 1.5, null);
const time = fc.constantFrom(
  '2024-02-03 04:05:06',
  '2026-11-20T23:53:11.000000Z',
  '0000-01-01',
  '9999-12-31T23:59:59',
);

function record(id: number, raw: Record<string, unknown>): Website {
  return decodeRecord({ ...raw, id });
}

const settings = fc.record(
  {
    privacy: fc.constantFrom<unknown>(0, 1, 2, 2, '2', 7, -1, 1.5, null),
    password: fc.boolean(),
    email: number,
    exclude_bots: number,
    exclude_params: fc.oneof(
      lines,
      fc.array(hostileText),
      fc.constantFrom(null, '', 'utm_source\nutm_medium'),
    ),
    exclude_ips: fc.oneof(
      lines,
      addresses.map((items) => items.join('\n')),
      fc.constantFrom(null, '192.0.2.1'),
    ),
    favorited_at: fc.oneof(time, fc.constantFrom(null, true)),
  },
  { requiredKeys: [] },
);

/** Half of the time, records agree in most fields, so that defaults are worthwhile. */
export const websites: Arbitrary<Website[]> = fc
  .tuple(
    settings,
    fc.boolean(),
    fc.array(fc.record({ domain, settings, like: fc.boolean() }), { maxLength: 12 }),
  )
  .map(([common, alike, records]) =>
    records.map((one, index) =>
      record(index % 11, {
        ...(alike ? common : {}),
        ...(alike && one.like ? {} : one.settings),
        domain: one.domain,
      }),
    ),
  );

export function currentOf(records: readonly Website[], presenceOnly: Current['presenceOnly'] = []): Current {
  return { websites: records, complete: true, knownAbsent: new Set(), hidden: [], presenceOnly, readAt: 0 };
}
