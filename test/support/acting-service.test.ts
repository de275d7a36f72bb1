/** The acting service must itself be right: what it acts out is held against plain requests. */
import { describe, expect, test } from 'vitest';
import { type ActingService, act, seededFaults } from './acting-service.ts';

const FORM = 'application/x-www-form-urlencoded';

async function ask(
  service: ActingService,
  method: string,
  path = '',
  form?: Record<string, string>,
  type = FORM,
) {
  const response = await fetch(`${service.url}/api/v1/websites${path}`, {
    method,
    headers: { authorization: `Bearer ${service.key}`, ...(form && { 'content-type': type }) },
    ...(form && { body: new URLSearchParams(form).toString() }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    json: text === '' ? undefined : JSON.parse(text),
  };
}

async function listed(service: ActingService): Promise<string[]> {
  const { json } = await ask(service, 'GET');
  return json.data.map((record: { domain: string }) => record.domain);
}

describe('records', () => {
  test('are what was sent, laid over what a new one has', async () => {
    const service = await act();
    await ask(service, 'POST', '', { domain: 'WWW.A.example', password: 'x', privacy: '2' });
    expect(service.records()).toEqual([
      {
        id: 1,
        domain: 'a.example',
        privacy: 2,
        password: 'x',
        email: 0,
        exclude_bots: 1,
        exclude_params: null,
        exclude_ips: null,
        favorited_at: null,
      },
    ]);
    expect((await ask(service, 'GET', '/1')).json.data).toMatchObject({ id: 1, password: true });
  });

  test.each([
    ['merge', { email: 1, exclude_ips: '192.0.2.1' }],
    ['replace', { email: 0, exclude_ips: '192.0.2.1' }],
  ] as const)('are updated by %s', async (put, fields) => {
    const service = await act({ dialect: { put }, records: [{ domain: 'a.example', email: 1 }] });
    await ask(service, 'PUT', '/1', { exclude_ips: '192.0.2.1' });
    expect(service.records()).toMatchObject([fields]);
  });

  test('are not changed without a content type, nor in fields that the service is deaf to', async () => {
    const service = await act({ dialect: { deaf: ['email'] }, records: ['a.example'] });
    expect((await ask(service, 'PUT', '/1', { privacy: '0' }, 'text/plain')).status).toBe(200);
    await ask(service, 'PUT', '/1', { email: '1', exclude_bots: '0' });
    expect(service.records()).toMatchObject([{ privacy: 1, email: 0, exclude_bots: 0 }]);
  });

  test('are refused where the domain is taken, here or elsewhere', async () => {
    const service = await act({ dialect: { takenElsewhere: ['b.example'] }, records: ['a.example'] });
    for (const domain of ['a.example', 'b.example']) {
      expect(await ask(service, 'POST', '', { domain })).toMatchObject({
        status: 422,
        json: { message: { domain: ['This domain is already being used.'] } },
      });
    }
    expect(await listed(service)).toEqual(['a.example']);
  });

  test('are shown by lists later, where the service lags', async () => {
    const service = await act({ dialect: { lagMs: 1500 } });
    await ask(service, 'POST', '', { domain: 'a.example' });
    expect((await ask(service, 'GET', '/1')).status).toBe(200);
    expect(await listed(service)).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 1600));
    expect(await listed(service)).toEqual(['a.example']);
    await ask(service, 'DELETE', '/1');
    expect((await ask(service, 'GET', '/1')).status).toBe(404);
    expect(await listed(service)).toEqual(['a.example']);
  });
});

describe('faults', () => {
  test.each([
    ['before', 0],
    ['after', 1],
  ] as const)('%s a write leave %i records', async (when, count) => {
    const service = await act();
    for (const fault of [{ kind: 'reset', when } as const, { kind: 'status', status: 500, when } as const]) {
      service.faults = () => fault;
      await ask(service, 'POST', '', { domain: `${fault.kind}.example` }).catch(() => undefined);
    }
    expect(service.records()).toHaveLength(2 * count);
  });

  test('may carry a write out late', async () => {
    const service = await act({ faults: () => ({ kind: 'late', ms: 50 }) });
    await expect(ask(service, 'POST', '', { domain: 'a.example' })).rejects.toThrow();
    expect(service.records()).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(service.records()).toHaveLength(1);
  });

  test('are the same for the same seed', async () => {
    const service = await act();
    await listed(service);
    const [request] = service.requests;
    if (request === undefined) throw new Error('nothing was logged');
    const row = (seed: number) => {
      const plan = seededFaults(seed, 0.5, [{ kind: 'cut' }, { kind: 'empty' }]);
      return Array.from({ length: 50 }, () => plan(request)?.kind);
    };
    expect(row(7)).toEqual(row(7));
    expect(row(7)).not.toEqual(row(8));
    expect(new Set(row(7))).toEqual(new Set([undefined, 'cut', 'empty']));
  });
});

describe('the rest', () => {
  test('a window holds so many requests', async () => {
    const service = await act({
      dialect: { rateLimit: { requests: 3, windowMs: 3_600_000, headers: 'laravel' } },
    });
    const statuses: number[] = [];
    for (let count = 0; count < 5; count += 1) statuses.push((await ask(service, 'GET')).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    const { headers } = await ask(service, 'GET');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
  });

  test('the clock may be wrong', async () => {
    const service = await act({ dialect: { clockSkewMs: -3_600_000 } });
    const { headers } = await ask(service, 'GET');
    expect(Date.now() - Date.parse(headers.get('date') ?? '')).toBeGreaterThan(3_500_000);
  });

  test('a closed port refuses, and opens with the records as they were', async () => {
    const service = await act({ records: ['a.example'] });
    await service.shut();
    await expect(listed(service)).rejects.toThrow();
    await service.reopen();
    expect(await listed(service)).toEqual(['a.example']);
  });

  test('the log holds no key', async () => {
    const service = await act({ key: 'marked' });
    await listed(service);
    expect(JSON.stringify(service.requests)).not.toContain('marked');
    expect(service.requests).toMatchObject([
      { number: 0, method: 'GET', path: '/api/v1/websites', key: 'right' },
    ]);
  });
});
