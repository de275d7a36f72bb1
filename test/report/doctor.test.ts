import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Findings } from '../../src/model/doctor-findings.ts';
import { READABLE_NAMES } from '../../src/model/field-table.ts';
import { doctorDocument, doctorJson } from '../../src/report/doctor.ts';
import { terminalText } from '../../src/report/media/terminal.ts';

const usual: Findings = {
  base_url: 'https://www.analytics.example.com',
  redirects: [
    { status: 308, from: 'https://analytics.example.com', to: 'https://www.analytics.example.com' },
  ],
  list: {
    envelope: 'data',
    paging: 'total',
    records: 150,
    total: 150,
    pages: 3,
    page_size: 50,
    page_size_capped: true,
    complete: true,
    reason: 'its total is 150, as many as it lists',
    refused_parameters: [],
  },
  search_finds: true,
  fields: READABLE_NAMES.map((name) => ({
    name,
    shown: name === 'email' ? 'read' : name === 'exclude_ips' ? 'nowhere' : 'list',
  })),
  tells_password_set: false,
  favorite: 'favorite',
  www: { with: 4, without: 146, both: 1 },
  unreadable: [],
  duplicates: [],
  rate_limit: { headers: ['x-ratelimit-limit'], limit: 60, remaining: 57, reset_ms: 30_000 },
};

const empty: Findings = {
  ...usual,
  redirects: [],
  list: {
    ...usual.list,
    paging: 'numbers',
    envelope: '',
    records: 0,
    total: null,
    pages: 1,
    page_size: null,
    page_size_capped: false,
    reason: 'the page after the last is empty',
  },
  search_finds: null,
  fields: READABLE_NAMES.map((name) => ({ name, shown: 'unknown' })),
  tells_password_set: null,
  favorite: null,
  www: { with: 0, without: 0, both: 0 },
  rate_limit: null,
};

const human = (findings: Findings): string =>
  terminalText(doctorDocument(findings), { color: false, width: 110 });

test('an empty service shows no more than that', () => {
  const text = human(empty);
  for (const words of [
    '0 records, complete',
    'there is no record',
    'no record shows it',
    'none in the responses',
  ]) {
    expect(text).toContain(words);
  }
  expect(parse(text.slice(text.indexOf('# service:')))).toBeNull();
});

test('a list that may lack records, and a search that misses one, say so', () => {
  const text = human({
    ...usual,
    list: { ...usual.list, complete: false, reason: 'why' },
    search_finds: false,
  });
  expect(text).toContain('may be incomplete, so nothing is pruned');
  expect(text).toContain('does not find a known record');
});

test('the document holds the findings, and the keys to set', () => {
  expect(JSON.parse(doctorJson(usual))).toEqual({
    format: 'websites.doctor/1',
    ...usual,
    pins: [
      { key: 'base_url', value: usual.base_url, reason: expect.any(String) },
      { key: 'www', value: 'distinct', reason: expect.any(String) },
      { key: 'favorite', value: 'favorite', reason: expect.any(String) },
    ],
  });
});
