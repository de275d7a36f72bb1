import { expect, test } from 'vitest';
import type { Operation } from '../../src/client/judge.ts';
import { judgeRedirect } from '../../src/client/redirect.ts';
import { startProgress } from '../../src/client/retry.ts';

const PATH = '/api/v1/websites?per_page=100';

function judge(
  from: string,
  location: string | undefined,
  { operation = 'list', status = 302 }: { operation?: Operation; status?: number } = {},
) {
  const { origin, pathname, search } = new URL(from);
  const path = pathname + search;
  const asked = { call: { operation, path }, to: { origin, path }, progress: startProgress(), secrets: [] };
  return judgeRedirect(asked, { kind: 'answer', status, headers: { location }, body: '', isUtf8: true });
}

test.each([
  ['http://a.example', 'http://www.a.example', 'to the form with www.'],
  ['http://www.a.example', 'http://a.example', 'to the form without www.'],
  ['http://a.example', 'https://a.example', 'to https'],
  ['http://a.example', 'https://www.a.example', 'to https with www.'],
  ['https://a.example:8443', 'https://www.a.example:8443', 'with a port'],
  ['http://a.example', 'http://a.example', 'to the same place'],
])('a redirect from %s to %s is followed: %s', (from, to) => {
  expect(judge(`${from}${PATH}`, `${to}${PATH}`)).toEqual({ status: 302, from, to });
});

test.each([
  ['https://a.example', 'http://a.example', 'https to http'],
  ['https://a.example', 'http://www.a.example', 'https to http'],
  ['http://a.example', 'http://b.example', 'another host'],
  ['http://a.example', 'http://api.a.example', 'another host'],
  ['http://a.example', 'http://www.www.a.example', 'another host'],
  ['http://a.example', 'http://a.example.evil.example', 'another host'],
  ['http://a.example', 'http://a.example:8080', 'another host'],
  ['http://a.example:8080', 'https://a.example', 'another host'],
  ['http://a.example', 'ftp://a.example', 'leaves http'],
  ['http://a.example', 'http://me:hidden@www.a.example', 'credentials'],
  ['http://a.example', 'http://hidden@www.a.example', 'credentials'],
  ['http://a.example', 'http://:hidden@www.a.example', 'credentials'],
])('a redirect %s → %s is the error redirect-refused (%s)', (from, to, reason) => {
  const redirect = judge(`${from}${PATH}`, `${to}${PATH}`);
  expect(redirect).toMatchObject({ code: 'redirect-refused', what: expect.stringContaining(reason) });
  expect(JSON.stringify(redirect)).not.toContain('hidden');
});

test.each(['/login', 'https://b.example/login', '/users/sign_in', '/sign-in/', '/admin-login?next=x'])(
  'a redirect to %s means that the key was rejected',
  (location) => {
    expect(judge(`http://a.example${PATH}`, location)).toMatchObject({ code: 'key-refused' });
  },
);

test('a POST is not sent again after a 303, or after a 302 to its own URL', () => {
  const from = 'http://a.example/api/v1/websites';
  const post = (status: number, to: string) => judge(from, to, { operation: 'create', status });
  expect(post(303, 'http://www.a.example/api/v1/websites')).toBeUndefined();
  expect(post(303, 'http://a.example/api/v1/websites/5')).toBeUndefined();
  expect(post(302, from)).toBeUndefined();
  expect(post(302, 'http://www.a.example/api/v1/websites')).toMatchObject({ to: 'http://www.a.example' });
  expect(
    judge(from, 'http://www.a.example/api/v1/websites', { operation: 'update', status: 303 }),
  ).toMatchObject({ to: 'http://www.a.example' });
});
