import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Findings } from '../../src/model/doctor-findings.ts';
import { READABLE_NAMES } from '../../src/model/field-table.ts';
import { doctorHuman, doctorJson } from '../../src/render/doctor.ts';

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
    reason: 'it counts 150 and lists as many',
    refused_parameters: [],
  },
  search_finds: true,
  fields: READABLE_NAMES.map((name) => ({
    name,
    shown: name === 'email' ? 'read' : name === 'exclude_ips' ? 'nowhere' : 'list',
  })),
  forms: { ids: 'number', flags: 'text', line_ends: 'CRLF', times: 'without offset' },
  tells_password_set: false,
  favorite: 'favorite',
  www: { with: 4, without: 146, both: 1 },
  unreadable: [],
  duplicates: [],
  unknown_record: { status: 404, json: true },
  rate_limit: { headers: ['x-ratelimit-limit'], limit: 60, remaining: 57, reset_ms: 30_000 },
  updates: { keeps: ['email'], resets: ['exclude_ips'], since: '2026-11-20T09:30:00Z' },
  pins: [
    {
      key: 'base_url',
      value: 'https://www.analytics.example.com',
      reason: 'every run starts with a redirect to it',
    },
    { key: 'www', value: 'distinct', reason: 'records keep their leading www.' },
    { key: 'favorite', value: 'favorite', reason: 'records show it by this name' },
  ],
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
  forms: { ids: null, flags: null, line_ends: null, times: null },
  tells_password_set: null,
  favorite: null,
  www: { with: 0, without: 0, both: 0 },
  rate_limit: null,
  updates: null,
  pins: [{ key: 'www', value: null, reason: 'same or distinct' }],
};

const human = (findings: Findings): string => doctorHuman(findings, { color: false, width: 110 });

/** The line, or lines, of one topic. */
function topic(findings: Findings, name: string): string {
  const lines = human(findings).split('\n');
  const start = lines.findIndex((line) => line.startsWith(`${name} `));
  const length = lines.slice(start + 1).findIndex((line) => !line.startsWith(' '.repeat(10)));
  return lines
    .slice(start, start + 1 + length)
    .map((line) => line.trim())
    .join(' ')
    .replace(/ +/g, ' ');
}

describe('doctorHuman', () => {
  it('tells each answer, how far to trust it, and what to set', () => {
    expect(human(usual)).toMatchInlineSnapshot(`
      "address     proven    https://analytics.example.com redirects to https://www.analytics.example.com (308):
                            method, body and key go along
      list        proven    150 records, all there are (it counts 150 and lists as many)
      pages       proven    under "data"; by number, with a total; they are fetched in parallel; 50 a page, fewer
                            than asked for
      search      seen      a search finds the record of a domain
      fields      seen      privacy, exclude_bots, exclude_params, favorited_at in lists; email only when one record
                            is read; exclude_ips nowhere: if such a setting is declared, records are read one by
                            one; a setting that is never returned is sent with other changes and never compared
      values      seen      ids as number, flags as text, lines end in CRLF, times without offset: all forms are
                            read alike
      unreadable  seen      every value can be read
      passwords   seen      records do not show whether one is set: a declared password goes with other changes of
                            its record, or with --resend-passwords
      favorite    seen      shown as favorite: its presence is compared, its time is not
      www.        proven    4 records with a leading www., 1 of them next to the domain without it: www.x and x are
                            two websites
      duplicates  proven    each listed domain has one record
      errors      seen      a record that does not exist: 404, JSON
      rate limit  seen      60 requests a window, 57 left, a new one in 30 s (x-ratelimit-limit)
      updates     seen      of the settings that an update omits, the service resets exclude_ips, keeps email
                            (learned at 2026-11-20T09:30:00Z): "service.update: full" pins it

      proven: tested. seen: responses showed it. doubtful: unreliable. unknown: reading cannot show it.

      For the file:
      service:
        base_url: https://www.analytics.example.com  # every run starts with a redirect to it
        www: distinct                                # records keep their leading www.
        favorite: favorite                           # records show it by this name
      "
    `);
  });

  it('says what an empty service does not show', () => {
    expect(human(empty)).toMatchInlineSnapshot(`
      "address     proven    https://www.analytics.example.com responds directly
      list        proven    0 records, all there are (the page after the last is empty)
      pages       seen      a bare array; one page; it does not say whether there are more
      search      unknown   no record to search for
      fields      unknown   no record shows any
      values      unknown   no record shows any
      unreadable  seen      every value can be read
      passwords   unknown   there is no record
      favorite    unknown   no record shows it: favorited_at is sent
      www.        unknown   no record has a leading www.
      duplicates  proven    each listed domain has one record
      errors      seen      a record that does not exist: 404, JSON
      rate limit  unknown   answers name none: the rate is learned from responses that ask to slow down
      updates     unknown   only an update shows whether the service keeps the settings that it omits: the first
                            update of an apply finds out

      proven: tested. seen: responses showed it. doubtful: unreliable. unknown: reading cannot show it.

      For the file:
      # service:
        # www:  # same or distinct
      "
    `);
  });

  it.each<[string, Partial<Findings>, string]>([
    [
      'list',
      {
        list: { ...usual.list, complete: false, reason: 'it serves the same records on every page' },
      },
      'list doubtful 150 records, possibly not all (it serves the same records on every page): each declared domain is looked up by search, orphans are unknown and prune is blocked',
    ],
    [
      'search',
      { search_finds: false },
      'search doubtful a search does not find an existing record: a create whose answer is lost may stay unknown',
    ],
    [
      'duplicates',
      { duplicates: ['a.example', 'b.example'] },
      'duplicates proven several records have the domain a.example, b.example: changes to these are blocked, and none is deleted',
    ],
    [
      'errors',
      { unknown_record: { status: 500, json: false } },
      'errors doubtful a record that does not exist: 500, no JSON: a deleted record looks the same as a failure',
    ],
  ])('doubts the %s where there is reason to', (name, findings, line) => {
    expect(topic({ ...usual, ...findings }, name)).toBe(line);
  });

  it('ends in YAML that a file can take over', () => {
    const [, yaml = ''] = human(usual).split('For the file:\n');
    expect(parse(yaml)).toEqual({
      service: { base_url: 'https://www.analytics.example.com', www: 'distinct', favorite: 'favorite' },
    });
    const [, comments = ''] = human(empty).split('For the file:\n');
    expect(parse(comments)).toBeNull();
  });

  it('makes what the service says harmless', () => {
    const hostile = { ...usual, list: { ...usual.list, envelope: '\u001b[2Jx\n::error::y' } };
    expect(human(hostile)).not.toContain('\u001b');
    expect(human(hostile)).not.toMatch(/^::error/m);
  });

  it('colors the trust and nothing that carries the meaning alone', () => {
    const coloured = doctorHuman(usual, { color: true, width: 110 });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is the escape that begins a colour
    expect(coloured.replace(/\u001b\[\d+m/g, '')).toBe(human(usual));
    expect(coloured).toContain('\u001b[');
  });
});

describe('doctorJson', () => {
  it('holds the findings and each answer with its trust', () => {
    const document = JSON.parse(doctorJson(usual)) as Record<string, unknown>;
    expect(document).toMatchObject({ format: 'websites.doctor/1', ...usual });
    expect(document.answers).toContainEqual({
      topic: 'rate limit',
      trust: 'seen',
      finding: '60 requests a window, 57 left, a new one in 30 s (x-ratelimit-limit)',
      meaning: null,
    });
  });
});
