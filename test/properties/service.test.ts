import fc from 'fast-check';
import { expect, test } from 'vitest';
import { WEBSITES_PATH } from '../../src/model/contract.ts';
import { call, type Reply } from '../server/http.ts';
import { codePoint } from '../support/code-point.ts';
import { documented, schemaOf } from '../support/documented.ts';
import { startTestService, type TestService } from '../support/service.ts';

const RECORD_PATH = `${WEBSITES_PATH}/{id}`;

/** A record is named by its place among those created. */
interface Step {
  readonly method: string;
  readonly record?: number | undefined;
  readonly query?: Readonly<Record<string, string>>;
  readonly form?: Readonly<Record<string, string>>;
}

const some = (...texts: string[]) => fc.constantFrom(...texts);
/** Sometimes any string. */
const mostly = (usual: fc.Arbitrary<string>) =>
  fc.oneof(
    { arbitrary: usual, weight: 50 },
    { arbitrary: fc.string({ unit: codePoint, maxLength: 8 }), weight: 1 },
  );

const DOMAINS = ['a.example', 'A.Example', 'www.a.example', 'münchen.example', 'MÜNCHEN.example'] as const;
const OTHERS = ['xn--mnchen-3ya.example', 'ΣΑΣ.example', 'straße.example', '10.0.0.1', '%', ''] as const;
const plain = fc.nat(99).map((number) => `${number}.example`);
const domain = fc.oneof({ arbitrary: plain, weight: 2 }, mostly(some(...DOMAINS, ...OTHERS)));

const settings = fc.record(
  {
    privacy: mostly(some('0', '1', '2')),
    password: mostly(some('x', '')),
    email: mostly(some('0', '1')),
    exclude_bots: mostly(some('0', '1')),
    exclude_params: mostly(some('b\r\na', ' ', 'ü 🔑')),
    exclude_ips: mostly(some('192.0.2.1', '')),
    favorited_at: mostly(some('2026-01-31T09:00:00', '2025-12-31T23:00:00-02:00', '')),
    favorite: mostly(some('0', '1')),
  },
  { requiredKeys: [] },
);
const query = fc.record(
  {
    search: mostly(some('A', 'mün', 'Σ', 'SS', '%', '_', '.example')),
    favorite: mostly(some('0', '1')),
    sort_by: mostly(some('id', 'domain')),
    sort: mostly(some('asc', 'desc')),
    per_page: mostly(some('10', '25')),
    page: mostly(some('1', '2', '9999999999')),
  },
  { requiredKeys: [] },
);

const record = fc.nat(7);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    method: some('POST'),
    form: fc.tuple(domain, settings).map(([name, more]) => ({ ...more, domain: name })),
  }),
  fc.record({ method: some('GET'), query }),
  fc.record({ record, method: some('PUT', 'PATCH'), form: settings }),
  fc.record({ record, method: some('GET', 'DELETE') }),
);

/** Checks each response of a new service against the document. */
async function send(service: TestService, steps: readonly Step[]): Promise<void> {
  const made: number[] = [];

  async function answer({ method, record: place, query: asked, form }: Step): Promise<Reply> {
    const id = place === undefined ? '' : `/${made[place] ?? 10_000}`;
    const search = asked === undefined ? '' : `?${new URLSearchParams(asked)}`;
    const { url, key } = service;
    return call(url, method, `${WEBSITES_PATH}${id}${search}`, { key, ...(form && { form }) });
  }

  for (const step of steps) {
    const { status, body, text } = await answer(step);
    const path = step.record === undefined ? WEBSITES_PATH : RECORD_PATH;
    const schema = documented(step.method, path, status);
    expect(schema, `${step.method} ${path} ${status}`).toBeDefined();
    expect(schemaOf(schema ?? '').safeParse(body), `${schema}: ${text}`).toMatchObject({ success: true });
    if (status === 201) made.push(body.data.id);
  }
}

test('every response of "websites serve" matches the OpenAPI document', { timeout: 60_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
      const service = await startTestService();
      await send(service, steps).finally(() => service.close());
    }),
    // Shrinking sends thousands of requests.
    { numRuns: 8, interruptAfterTimeLimit: 40_000 },
  );
});
