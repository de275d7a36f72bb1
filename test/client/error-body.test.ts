import { describe, expect, test } from 'vitest';
import { decodeFailure, tellsOfError } from '../../src/client/error-body.ts';

test.each<[string, string, Record<string, string[]>]>([
  ['{"message":"Unauthenticated."}', 'Unauthenticated.', {}],
  ['{"message":"Resource not found.","status":404}', 'Resource not found.', {}],
  ['{"message":""}', '', {}],
  ['{"error":"Not allowed"}', 'Not allowed', {}],
  ['{"message":["Too long.","Not a domain."],"error":"Bad Request"}', 'Too long. Not a domain.', {}],
  ['{"errors":["Too long.",null]}', 'Too long.', {}],
  ['{"errors":[{"detail":"Too long."},{"title":"Wrong."}]}', 'Too long. Wrong.', {}],
  ['{"error":{"code":422,"message":"Too long."}}', 'Too long.', {}],
  ['{"type":"about:blank","title":"Wrong.","detail":"Too long."}', 'Too long.', {}],
  ['{"message":"","error":"Not allowed"}', 'Not allowed', {}],
  [
    '{"message":{"domain":["This domain is already being used."]},"status":422}',
    'This domain is already being used.',
    { domain: ['This domain is already being used.'] },
  ],
  [
    '{"message":"The given data was invalid.","errors":{"domain":["Too long.","Not a domain."],"email":["Wrong."]}}',
    'Too long. Not a domain. Wrong.',
    { domain: ['Too long.', 'Not a domain.'], email: ['Wrong.'] },
  ],
  ['{"errors":{"domain":"Taken."}}', 'Taken.', { domain: ['Taken.'] }],
  ['{"message":{"domain":[null,5,{"toString":1},"Taken."]}}', 'Taken.', { domain: ['Taken.'] }],
  ['{"message":{"domain":{"toString":1}}}', '', { domain: [] }],
  ['{"message":{}}', '', {}],
  ['{"message":null}', '', {}],
  ['{}', '', {}],
  ['[]', '', {}],
  ['null', '', {}],
  ['"Slow down."', 'Slow down.', {}],
  ['', '', {}],
  ['Bad Gateway\r\n', 'Bad Gateway', {}],
  ['<!doctype html><html><head><title>\n  Page   Expired\n</title></head></html>', 'Page Expired', {}],
  ['<html><body>secret internals</body></html>', '', {}],
  ['{"message":"cut of', '{"message":"cut of', {}],
  ['{"message":"two\\nlines"}', 'two lines', {}],
])('an error response is decoded to a message and fields: %s', (body, message, fields) => {
  expect(decodeFailure(body)).toEqual({ message, fields });
});

test('a field named __proto__ in an error response is an ordinary field', () => {
  const { fields, message } = decodeFailure('{"message":{"__proto__":["x"]}}');
  expect(Object.entries(fields)).toEqual([['__proto__', ['x']]]);
  expect(message).toBe('x');
  expect(Object.getPrototypeOf({})).toBe(Object.prototype);
});

test('deeply nested lists in an error response are not decoded', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  expect(decodeFailure(`{"message":${deep}}`).message).toMatch(/^\{"message":\[+…$/);
});

test('a message of more than 300 characters in an error response is cut', () => {
  const cut = (length: number): string =>
    decodeFailure(JSON.stringify({ message: 'x'.repeat(length) })).message;
  expect(cut(300)).toBe('x'.repeat(300));
  expect(cut(301)).toBe(`${'x'.repeat(299)}…`);
  expect(decodeFailure(JSON.stringify({ message: '💩'.repeat(200) })).message).toBe(`${'💩'.repeat(149)}…`);
});

test('an error page of repeated opening tags is decoded quickly', () => {
  expect(decodeFailure('<title'.repeat(300_000))).toEqual({ message: '', fields: {} });
  expect(decodeFailure('<title>'.repeat(300_000))).toEqual({ message: '', fields: {} });
});

// Otherwise an error with an empty list would look like a service without records.
describe('an error in a successful response is recognized', () => {
  test.each<[unknown]>([
    [{ data: [], success: false }],
    [{ data: [], success: 'false' }],
    [{ data: [], success: 0 }],
    [{ data: [], status: 'error', message: 'Try again later.' }],
    [{ data: null, status: 'fail' }],
    [{ data: [], message: 'Server Error', status: 500 }],
    [{ data: [], message: 'Unauthenticated.', status: '401' }],
    [{ data: [], errors: ['One of two servers is down.'] }],
    [{ data: [{ id: 1, domain: 'a.com' }], errors: { 0: 'One of two servers is down.' } }],
    [{ websites: [], error: 'Try again later.' }],
    [{ error: true }],
  ])('the successful response %j counts as an error', (raw) => {
    expect(tellsOfError(raw)).toBe(true);
  });

  test.each<[unknown]>([
    [[]],
    [null],
    [undefined],
    [{ data: [], success: true, status: 200, error: null, errors: [] }],
    [{ data: [], success: 1, status: 'ok' }],
    [{ data: [], success: null }],
    [{ data: [], error: false, errors: {}, status: 'success' }],
    [{ data: [], error: 'false', errors: '0' }],
    [{ data: [], success: { toString: 0 }, status: { toString: 0 } }],
    [{ id: 1, domain: 'a.com', status: 404, error: 'There is no such page.' }],
  ])('the successful response %j does not count as an error', (raw) => {
    expect(tellsOfError(raw)).toBe(false);
  });
});
