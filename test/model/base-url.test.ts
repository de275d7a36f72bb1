import { expect, test } from 'vitest';
import { parseBaseUrl } from '../../src/model/base-url.ts';
import { WebsitesError } from '../../src/model/errors.ts';

test.each([
  ['https://A.example/', 'https://a.example'],
  ['https://a.example?', 'https://a.example'],
  ['https://a.example/#', 'https://a.example'],
  [' https://A.example:443/stats// ', 'https://a.example/stats'],
  ['http://[::1]:8080', 'http://[::1]:8080'],
])('the service URL %s is normalized', (text, url) => {
  expect(parseBaseUrl(text)).toBe(url);
});

test.each([
  ['analytics', 'is not a URL'],
  ['ftp://a.example', 'neither http nor https'],
  ['https://me:hidden@a.example', 'user name or password'],
  ['https://me@a.example', 'user name or password'],
  ['https://:hidden@a.example', 'user name or password'],
  ['https://me:12/hidden@a.example', 'an @ in its path'],
  ['https://me:hid den@[', 'is not a URL'],
  ['https://me:not/hidden@a.example', 'is not a URL'],
  ['https://me:not@hidden@[', 'is not a URL'],
  ['https:me:hidden@a.example', 'user name or password'],
  ['https:/me:hidden@a.example', 'user name or password'],
  ['https:\\\\me:hidden@a.example', 'user name or password'],
  ['me:hidden@a.example', 'neither http nor https'],
  ['//me:hidden@a.example', 'is not a URL'],
  ['https://a.example?key=hidden', 'query'],
  ['https://a.example#hidden', 'fragment'],
  ['a.example?key=hidden', 'is not a URL'],
  ['https://a.example/api/v1', 'added automatically'],
  ['https://a.example/stats/api/v1/websites/', 'added automatically'],
])('the service URL %s is an error that does not show credentials', (text, reason) => {
  const parse = (): string => parseBaseUrl(text);
  expect(parse).toThrow(WebsitesError);
  expect(parse).toThrow(expect.objectContaining({ code: 'base-url-invalid' }));
  expect(parse).toThrow(reason);
  expect(parse).not.toThrow(/hidden|hid den/);
});
