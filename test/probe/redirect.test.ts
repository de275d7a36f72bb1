import { expect, test } from 'vitest';
import { judgeRedirect } from '../../src/probe/redirect.ts';

const FROM = new URL('https://shop.example.co.uk/a/b');

test.each([
  ['/de/', 'https://shop.example.co.uk/de/'],
  ['../c?x=1#y', 'https://shop.example.co.uk/c?x=1'],
  ['//www.example.co.uk/', 'https://www.example.co.uk/'],
  ['http://example.co.uk/', 'http://example.co.uk/'],
  ['https://me:secret@example.co.uk/', 'https://example.co.uk/'],
  ['https://EXAMPLE.co.uk:443/', 'https://example.co.uk/'],
  ['https://example.co.uk:8443/', 'https://example.co.uk:8443/'],
])('%s is followed', (location, to) => {
  expect(judgeRedirect(FROM, location, 4)).toEqual({ kind: 'follow', to: new URL(to) });
});

test.each([
  ['https://example.com/', 'example.com'],
  ['https://other.co.uk/', 'other.co.uk'],
  ['http://169.254.169.254/latest', '169.254.169.254'],
  ['http://2130706433/', '127.0.0.1'],
  ['http://localhost/', 'localhost'],
])('%s is elsewhere', (location, host) => {
  expect(judgeRedirect(FROM, location, 0)).toMatchObject({ kind: 'elsewhere', to: { hostname: host } });
});

test('names below a private suffix are of different owners', () => {
  const from = new URL('https://a.github.io/');
  expect(judgeRedirect(from, 'https://b.github.io/', 0)).toMatchObject({ kind: 'elsewhere' });
  expect(judgeRedirect(from, 'https://www.a.github.io/', 0)).toMatchObject({ kind: 'follow' });
});

test.each([
  ['http://', 0],
  ['javascript:alert(1)', 0],
  ['ftp://example.co.uk/', 0],
  ['http://example.co.uk:25/', 0],
  ['/again', 5],
])('%s after %i redirects leads nowhere', (location, followed) => {
  expect(judgeRedirect(FROM, location, followed)).toMatchObject({ kind: 'impossible' });
});
