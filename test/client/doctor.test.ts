import { expect, test } from 'vitest';
import { examine } from '../../src/client/doctor.ts';
import { factText } from '../../src/report/facts.ts';
import { type Dialect, type Fault, type LoggedRequest, scripted } from '../support/scripted-service.ts';
import { connect, domains } from './support.ts';

test('examine returns all properties of a typical service, with GET requests only', async () => {
  const service = await scripted({
    records: domains(150),
    dialect: { rateLimit: { requests: 60, windowMs: 3_600_000, headers: 'laravel' } },
  });
  const findings = await examine(connect(service), factText);
  expect(findings).toEqual({
    base_url: service.url,
    redirects: [],
    list: {
      envelope: 'data',
      paging: 'total',
      records: 150,
      total: 150,
      pages: 2,
      page_size: 100,
      page_size_capped: false,
      complete: true,
      reason: 'its total is 150, as many as it lists',
      refused_parameters: [],
    },
    search_finds: true,
    fields: ['privacy', 'email', 'exclude_bots', 'exclude_params', 'exclude_ips', 'favorited_at'].map(
      (name) => ({ name, shown: 'list' }),
    ),
    tells_password_set: true,
    favorite: 'favorited_at',
    www: { with: 0, without: 150, both: 0 },
    unreadable: [],
    duplicates: [],
    rate_limit: {
      headers: ['x-ratelimit-limit', 'x-ratelimit-remaining'],
      limit: 60,
      remaining: 56,
      reset_ms: null,
    },
  });
  expect(service.requests.every(({ method }) => method === 'GET')).toBe(true);
  expect(service.requests.length).toBeLessThanOrEqual(4);
});

test.each<[Partial<Dialect>, object]>([
  [
    { envelope: 'websites', paging: 'links' },
    { list: { envelope: 'websites', paging: 'links', total: null, complete: true } },
  ],
  [{ envelope: '', paging: 'numbers' }, { list: { envelope: '', paging: 'numbers', complete: true } }],
  [
    { paging: 'cursor', largestPage: 25 },
    { list: { paging: 'cursor', page_size: 25, page_size_capped: true, pages: 5 } },
  ],
  [{ refusedParameters: ['sort'] }, { list: { refused_parameters: ['sort'] } }],
  [{ search: 'exact' }, { search_finds: true }],
  [
    { hiddenInList: ['email', 'privacy'], hiddenInRead: ['privacy'] },
    {
      fields: expect.arrayContaining([
        { name: 'privacy', shown: 'nowhere' },
        { name: 'email', shown: 'read' },
      ]),
    },
  ],
  [{ hiddenInList: ['password'], hiddenInRead: ['password'] }, { tells_password_set: false }],
  [{ hiddenInList: ['password'] }, { tells_password_set: true }],
  [{ hiddenInRead: ['password'] }, { tells_password_set: true }],
  [{ favorite: 'favorite' }, { favorite: 'favorite' }],
  [{ hiddenInList: ['favorited_at'], hiddenInRead: ['favorited_at'] }, { favorite: null }],
])('examine returns the properties of a service with %j', async (dialect, findings) => {
  const service = await scripted({ records: domains(120), dialect });
  expect(await examine(connect(service), factText)).toMatchObject(findings);
});

test('examine returns as unknown what an empty service does not show', async () => {
  const findings = await examine(connect(await scripted()), factText);
  expect(findings).toMatchObject({
    search_finds: null,
    tells_password_set: null,
    favorite: null,
    rate_limit: null,
    list: { records: 0, page_size: null },
  });
  expect(findings.fields.every(({ shown }) => shown === 'unknown')).toBe(true);
});

test('examine reports a search that does not find existing records', async () => {
  const faults = ({ query }: LoggedRequest): Fault | undefined =>
    'search' in query ? { kind: 'status', status: 200, when: 'before', body: '[]' } : undefined;
  const service = await scripted({ records: ['a.example'], faults });
  expect(await examine(connect(service), factText)).toMatchObject({ search_finds: false });
});
