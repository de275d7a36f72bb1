import { expect, onTestFinished, test, vi } from 'vitest';
import { factText } from '../../src/report/facts.ts';
import { type Connection, type ConnectSettings, connect } from '../../src/sync/connect.ts';

async function connected(
  key: string,
  env: Record<string, string> = {},
  more: Partial<ConnectSettings> = {},
): Promise<Connection> {
  const pins = { base_url: 'https://analytics.example.com' };
  const settings = { pins, root: '/', key: () => Promise.resolve(key), env, factText };
  const connection = await connect({ ...settings, ...more });
  onTestFinished(() => connection.close());
  return connection;
}

test('the fingerprint of an API key uses scrypt, and differs by key and service', async () => {
  const fingerprintOf = async (...given: Parameters<typeof connected>) =>
    (await connected(...given)).identity.key_fingerprint;
  const fingerprint = await fingerprintOf('one-key');
  expect(fingerprint).toMatch(/^scrypt:[0-9a-f]{16}$/);
  expect(await fingerprintOf('one-key')).toBe(fingerprint);
  expect(await fingerprintOf('another-key')).not.toBe(fingerprint);
  const elsewhere = { pins: { base_url: 'https://staging.example.com' } };
  expect(await fingerprintOf('one-key', {}, elsewhere)).not.toBe(fingerprint);
});

test('a program that connects to a service can follow the pace of requests', async () => {
  const follow = vi.fn<NonNullable<ConnectSettings['onLimiter']>>();
  await connected('one-key', {}, { parallelism: 3, onLimiter: follow });
  expect(follow.mock.calls[0]?.[0]()).toMatchObject({ width: 3, requests: 0 });
});

test('connecting with an invalid service URL is an error before the API key is read', async () => {
  const key = vi.fn<ConnectSettings['key']>();
  await expect(connected('', {}, { pins: { base_url: 'ftp://example.com' }, key })).rejects.toMatchObject({
    code: 'base-url-invalid',
  });
  expect(key).not.toHaveBeenCalled();
});
