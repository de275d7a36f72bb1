/** The findings of `websites doctor`, for a person and for a program. */
import type { Findings } from '../model/doctor-findings.ts';
import { jsonDocument } from './json.ts';
import { prose } from './sanitize.ts';
import type { Style } from './style.ts';
import { count, duration, hang, pad, pageOf, type RenderOptions, some, textOf, widestOf } from './text.ts';

export const DOCTOR_FORMAT = 'websites.doctor/1';

/** The document `websites.doctor/1`. */
export function doctorJson(findings: Findings): string {
  return jsonDocument({ format: DOCTOR_FORMAT, ...findings, pins: pinsOf(findings) });
}

/** A line for each fact, then the keys to set as YAML that can be pasted. */
export function doctorHuman(findings: Findings, options: RenderOptions): string {
  const { style, width: room } = pageOf(options);
  const facts = factsOf(findings);
  const width = widestOf(facts.map(([topic]) => topic)) + 2;
  return textOf([
    facts.flatMap(([topic, text]) => hang(pad(topic, width), prose(text), room)),
    [style.strong('For the file:'), ...pinLines(pinsOf(findings), style)],
  ]);
}

/** In the order in which a run depends on them. */
function factsOf(findings: Findings): readonly (readonly [topic: string, text: string])[] {
  const { redirects, search_finds, tells_password_set, favorite, www, duplicates, unreadable } = findings;
  const from = redirects.map((redirect) => `; ${redirect.from} redirects there (${redirect.status})`);
  const records = count(findings.list.records, 'record');
  const { complete, reason } = findings.list;
  return [
    ['address', findings.base_url + from.join('')],
    [
      'list',
      `${records}, ${complete ? 'all there are' : 'possibly not all, so nothing is pruned'} (${reason})`,
    ],
    ['pages', pagesText(findings.list)],
    ['search', search_finds ? 'finds a record' : search_finds === null ? 'no record' : 'misses a record'],
    ['fields', fieldsText(findings)],
    ['unreadable', unreadable.length === 0 ? 'none' : some(unreadable)],
    ['passwords', `records ${tells_password_set ? 'show' : 'do not show'} if one is set`],
    ['favorite', favorite === null ? 'no record shows it' : `shown as ${favorite}`],
    ['www.', `${count(www.with, 'record')} with a leading www., ${www.both} of them also without it`],
    ['duplicates', duplicates.length === 0 ? 'none' : some(duplicates)],
    ['rate limit', rateText(findings)],
  ];
}

function pagesText({ envelope, paging, page_size, refused_parameters }: Findings['list']): string {
  const ways = {
    total: 'by number, with a total',
    links: 'by next links, without a total',
    cursor: 'by cursors',
    numbers: 'by number until one is empty',
  };
  return [
    envelope === '' ? 'a bare array' : `under "${envelope}"`,
    ways[paging],
    ...(page_size === null ? [] : [`${page_size} a page`]),
    ...(refused_parameters.length === 0 ? [] : [`it refuses ${some(refused_parameters)}`]),
  ].join('; ');
}

function fieldsText({ fields }: Findings): string {
  const places = {
    list: 'in lists',
    read: 'only in a single record',
    nowhere: 'nowhere',
    unknown: 'unknown',
  };
  const texts = Object.entries(places).map(([place, text]) => {
    const names = fields.filter(({ shown }) => shown === place).map(({ name }) => name);
    return names.length === 0 ? '' : `${names.join(', ')} ${text}`;
  });
  return texts.filter(Boolean).join('; ');
}

function rateText({ rate_limit }: Findings): string {
  if (rate_limit === null) return 'answers name none';
  const { limit, remaining, reset_ms, headers } = rate_limit;
  const parts = [
    limit === null ? '' : `${limit} requests a window`,
    remaining === null ? '' : `${remaining} left`,
    reset_ms === null ? '' : `a new one in ${duration(reset_ms / 1000)}`,
  ];
  return `${parts.filter(Boolean).join(', ')} (${some(headers)})`;
}

/** Keys of `service:` that the file should, or may have to, set; a null value is for the reader to decide. */
function pinsOf({ redirects, base_url, www, favorite }: Findings) {
  const base = { key: 'base_url', value: base_url, reason: 'every run starts with a redirect to it' };
  return [
    ...(redirects.length > 0 ? [base] : []),
    www.with > 0
      ? { key: 'www', value: 'distinct', reason: 'records keep their leading www.' }
      : { key: 'www', value: null, reason: 'same or distinct; no record has a leading www.' },
    favorite === null
      ? { key: 'favorite', value: null, reason: 'favorited_at or favorite; no record shows it' }
      : { key: 'favorite', value: favorite, reason: 'records show it by this name' },
  ];
}

/** Settled keys as YAML, those left to the reader as comments. */
function pinLines(pins: ReturnType<typeof pinsOf>, { dim }: Style): string[] {
  const texts = pins.map(({ key, value }) => (value === null ? `# ${key}:` : `${key}: ${value}`));
  const width = widestOf(texts);
  return [
    pins.some(({ value }) => value !== null) ? 'service:' : '# service:',
    ...pins.map(({ reason }, at) => `  ${pad(texts[at] ?? '', width)}  ${dim(`# ${reason}`)}`),
  ];
}
