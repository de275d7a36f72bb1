import { expect, onTestFinished, test, vi } from 'vitest';
import { type Connection, type ConnectSettings, connect } from '../../src/sync/connect.ts';

async function connected(
  key: string,
  env: Record<string, string> = {},
  more: Partial<ConnectSettings> = {},
): Promise<Connection> {
  const pins = { base_url: 'https://analytics.example.com' };
  const connection = await connect({ pins, root: '/', key: () => Promise.resolve(key), env, ...more });
  onTestFinished(() => connection.close());
  return connection;
}

test('a key is told apart by what costs as much for each guess, and is another for another service', async () => {
  const { keyFingerprint } = await connected('one-key');
  expect(keyFingerprint).toMatch(/^scrypt:[0-9a-f]{16}$/);
  expect((await connected('one-key')).keyFingerprint).toBe(keyFingerprint);
  expect((await connected('another-key')).keyFingerprint).not.toBe(keyFingerprint);
  const elsewhere = { pins: { base_url: 'https://staging.example.com' } };
  expect((await connected('one-key', {}, elsewhere)).keyFingerprint).not.toBe(keyFingerprint);
});

test('passwords are known again after the API key was replaced where WEBSITES_LOCK_KEY is set', async () => {
  const idOf = async (key: string, env = {}) => (await connected(key, env)).fingerprints.keyId;
  const env = { WEBSITES_LOCK_KEY: 'lock-key' };
  expect(await idOf('one-key', env)).toBe(await idOf('another-key', env));
  expect(await idOf('one-key', { WEBSITES_LOCK_KEY: '' })).toBe(await idOf('one-key'));
  expect(await idOf('one-key')).not.toBe(await idOf('another-key'));
});

test('what one service was sent says nothing of another, though WEBSITES_LOCK_KEY is the same', async () => {
  const env = { WEBSITES_LOCK_KEY: 'lock-key' };
  const idAt = async (base_url: string) =>
    (await connected('one-key', env, { pins: { base_url } })).fingerprints.keyId;
  const staging = await idAt('https://staging.example.com');
  expect(await idAt('https://analytics.example.com')).not.toBe(staging);
  expect(await idAt('https://staging.example.com/')).toBe(staging);
});

test('whoever follows the pace is given it', async () => {
  const follow = vi.fn<NonNullable<ConnectSettings['onLimiter']>>();
  await connected('one-key', {}, { parallelism: 3, onLimiter: follow });
  expect(follow.mock.calls[0]?.[0]()).toMatchObject({ width: 3, active: 0, requests: 0 });
});

test('an address that is none is told before a key is asked for', async () => {
  const key = vi.fn<ConnectSettings['key']>();
  await expect(connected('', {}, { pins: { base_url: 'ftp://example.com' }, key })).rejects.toMatchObject({
    code: 'base-url-invalid',
  });
  expect(key).not.toHaveBeenCalled();
});
